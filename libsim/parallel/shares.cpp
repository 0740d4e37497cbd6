#include "libsim/parallel/shares.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace sim::parallel {

namespace {

void check_items(int items) {
    if (items < 0) {
        throw ProgramError(fmt::format("{} items cannot be shared; 0 or more can", items));
    }
}

double sum_of(std::span<const double> speeds) {
    for (std::size_t part = 0; part < speeds.size(); ++part) {
        if (!std::isfinite(speeds[part]) || speeds[part] < 0) {
            throw ProgramError(fmt::format("part {} has speed {}; a speed is 0 or more", part, speeds[part]));
        }
    }
    const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    if (!std::isfinite(sum) || sum <= 0) {
        throw ProgramError(fmt::format("{} speeds add up to {}; somebody must get the items", speeds.size(), sum));
    }
    return sum;
}

// The part that would be the first to finish one more item.
std::size_t next_to_finish(std::span<const double> speeds, const std::vector<Share>& shares) {
    const auto end = [&](std::size_t part) { return (shares[part].count + 1) / speeds[part]; };
    std::size_t first = 0;
    for (std::size_t part = 1; part < speeds.size(); ++part) {
        first = end(part) < end(first) ? part : first;
    }
    return first;
}

void put_one_after_another(std::vector<Share>& shares) {
    int next = 0;
    for (Share& share : shares) {
        share.first = next;
        next += share.count;
    }
}

}  // namespace

std::vector<Share> even_shares(int items, int parts) {
    check_items(items);
    if (parts < 1) {
        throw ProgramError(fmt::format("items cannot be shared among {} parts; 1 or more can have them", parts));
    }
    std::vector<Share> shares(static_cast<std::size_t>(parts), Share{.count = items / parts});
    for (std::size_t part = 0; part < static_cast<std::size_t>(items % parts); ++part) {
        shares[part].count += 1;
    }
    put_one_after_another(shares);
    return shares;
}

std::vector<Share> weighted_shares(int items, std::span<const double> speeds) {
    check_items(items);
    const double all = sum_of(speeds);
    std::vector<Share> shares(speeds.size());
    int left = items;
    for (std::size_t part = 0; part < speeds.size(); ++part) {
        const int certain = static_cast<int>(items * (speeds[part] / all));
        shares[part].count = certain < left ? certain : left;  // rounding must not give away more items than are left
        left -= shares[part].count;
    }
    for (; left > 0; --left) {
        shares[next_to_finish(speeds, shares)].count += 1;
    }
    put_one_after_another(shares);
    return shares;
}

}  // namespace sim::parallel
