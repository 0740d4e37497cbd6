#include "libsim/parallel/expert_parallel.hpp"

#include "libsim/collectives/all_to_all.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sim::parallel {

namespace {

std::span<const double> row_of(std::span<const double> x, std::size_t row, std::size_t columns) {
    return x.subspan(row * columns, columns);
}

void append(std::vector<double>& to, std::span<const double> from) {
    to.insert(to.end(), from.begin(), from.end());
}

std::size_t choices_per_row(std::size_t numbers, std::size_t columns, std::size_t choices) {
    if (columns == 0 || numbers % columns != 0) {
        throw ProgramError(fmt::format("tokens of {} numbers are no whole number of rows of {}", numbers, columns));
    }
    const std::size_t rows = numbers / columns;
    if (rows == 0 ? choices != 0 : choices % rows != 0) {
        throw ProgramError(
            fmt::format("{} experts are chosen for {} rows; every row has the same number of them", choices, rows));
    }
    return rows == 0 ? 0 : choices / rows;
}

}  // namespace

ExpertExchange among_ranks(GPU& gpu, const Group& group, Size size) {
    const int index = group.index_of(gpu.rank());
    if (index < 0) {
        throw ProgramError(fmt::format("rank {} is not in the group that shares the experts", gpu.rank()));
    }
    return {.index = index, .size = group.size(), .exchange = [&gpu, group, size](ExpertExchange::Parts parts) {
                return all_to_all_v(gpu, group, std::move(parts), size);
            }};
}

ExpertParallel::ExpertParallel(ExpertExchange among, int experts) : among_(std::move(among)), experts_(experts) {
    if (experts < 1) {
        throw ProgramError(fmt::format("{} experts: there must be at least 1", experts));
    }
}

ExpertParallel::ExpertParallel(GPU& gpu, const Group& group, int experts, Size size)
    : ExpertParallel(among_ranks(gpu, group, size), experts) {}

int ExpertParallel::member_of(int expert) const {
    if (expert < 0 || expert >= experts_) {
        throw ProgramError(fmt::format("expert {} does not exist: there are {}, from 0 on", expert, experts_));
    }
    return static_cast<int>(std::int64_t{expert} * among_.size / experts_);
}

Share ExpertParallel::experts_of(int member) const {
    const auto first = [&](int i) {
        return static_cast<int>(ceil_div(std::int64_t{i} * experts_, std::int64_t{among_.size}));
    };
    return {.first = first(member), .count = first(member + 1) - first(member)};
}

// The choices in sending order: by expert, then by their order.
std::vector<std::size_t> ExpertParallel::order_of(std::span<const int> chosen) const {
    std::vector<std::size_t> order(chosen.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return chosen[a] < chosen[b]; });
    return order;
}

ExpertExchange::Parts ExpertParallel::exchange(ExpertExchange::Parts parts) const {
    return among_.exchange ? among_.exchange(std::move(parts)) : parts;
}

Dispatched ExpertParallel::dispatch(std::span<const double> tokens, std::size_t columns,
                                    std::span<const int> chosen) const {
    const std::size_t k = choices_per_row(tokens.size(), columns, chosen.size());
    // A part begins with the number of rows for each expert there, so one exchange carries both the rows and their
    // experts.
    std::vector<std::vector<double>> parts;
    for (int member = 0; member < among_.size; ++member) {
        parts.emplace_back(static_cast<std::size_t>(experts_of(member).count));
    }
    for (const std::size_t choice : order_of(chosen)) {
        const int member = member_of(chosen[choice]);
        std::vector<double>& part = parts[static_cast<std::size_t>(member)];
        ++part[static_cast<std::size_t>(chosen[choice] - experts_of(member).first)];
        append(part, row_of(tokens, choice / k, columns));
    }
    parts = exchange(std::move(parts));

    Dispatched sent{.rows = {}, .columns = columns, .chosen = {chosen.begin(), chosen.end()}, .arrived = {}};
    const std::ptrdiff_t here = own_experts().count;
    for (std::vector<double>& part : parts) {
        sent.arrived.emplace_back(part.begin(), part.begin() + here);
        part.erase(part.begin(), part.begin() + here);
    }
    sent.rows = by_own_expert(parts, sent);
    return sent;
}

std::vector<std::vector<double>> ExpertParallel::by_own_expert(std::span<const std::vector<double>> from_members,
                                                               const Dispatched& sent) const {
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(own_experts().count));
    for (std::size_t member = 0; member < from_members.size(); ++member) {
        std::span<const double> left = from_members[member];
        for (std::size_t expert = 0; expert < rows.size(); ++expert) {
            const std::size_t length = sent.arrived[member][expert] * sent.columns;
            append(rows[expert], left.first(length));
            left = left.subspan(length);
        }
    }
    return rows;
}

std::vector<double> ExpertParallel::combine(std::span<const std::vector<double>> results,
                                            const Dispatched& sent) const {
    if (results.size() != sent.rows.size()) {
        throw ProgramError(fmt::format("results of {} experts; this rank has {}", results.size(), sent.rows.size()));
    }
    for (std::size_t expert = 0; expert < results.size(); ++expert) {
        if (results[expert].size() != sent.rows[expert].size()) {
            throw ProgramError(fmt::format("expert {} has results of {} numbers for tokens of {}",
                                           own_experts().first + static_cast<int>(expert), results[expert].size(),
                                           sent.rows[expert].size()));
        }
    }
    std::vector<std::vector<double>> parts;
    std::vector<std::size_t> taken(results.size());  // numbers taken so far per expert
    for (const std::vector<std::size_t>& counts : sent.arrived) {
        std::vector<double>& part = parts.emplace_back();
        for (std::size_t expert = 0; expert < results.size(); ++expert) {
            const std::size_t length = counts[expert] * sent.columns;
            append(part, std::span(results[expert]).subspan(taken[expert], length));
            taken[expert] += length;
        }
    }
    // Members own contiguous ranges of experts, so concatenating the returned parts restores the sending order.
    std::vector<double> came;
    for (const std::vector<double>& part : exchange(std::move(parts))) {
        append(came, part);
    }
    std::vector<double> of_choices(came.size());
    const std::vector<std::size_t> order = order_of(sent.chosen);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const auto row = row_of(came, place, sent.columns);
        std::copy(row.begin(), row.end(),
                  of_choices.begin() + static_cast<std::ptrdiff_t>(order[place] * sent.columns));
    }
    return of_choices;
}

std::vector<std::vector<double>> ExpertParallel::dispatch_again(std::span<const double> rows_of_choices,
                                                                const Dispatched& sent) const {
    if (rows_of_choices.size() != sent.chosen.size() * sent.columns) {
        throw ProgramError(fmt::format("{} numbers for {} choices of {} columns", rows_of_choices.size(),
                                       sent.chosen.size(), sent.columns));
    }
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(among_.size));
    for (const std::size_t choice : order_of(sent.chosen)) {
        append(parts[static_cast<std::size_t>(member_of(sent.chosen[choice]))],
               row_of(rows_of_choices, choice, sent.columns));
    }
    return by_own_expert(exchange(std::move(parts)), sent);
}

}  // namespace sim::parallel
