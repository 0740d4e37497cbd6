#include "tools/labs/script_checks.hpp"

#include "libsim/names.hpp"
#include "libsim/network/footprint.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::labs {

namespace {

const char* const collectives = "collectives";  // kind, bytes and members of each
const char* const peak = "peak bytes";

std::int64_t peak_of(const Record& record, int rank) {
    const std::vector<double>& bytes = reported(record, peak, rank);
    return bytes.empty() ? 0 : std::llround(bytes.front());
}

Duration time_called(const Record& record, int rank, const Which& which) {
    Duration sum{0};
    for (const Called& each : collectives_of(record, rank)) {
        sum += which.holds(each) ? each.time : Duration{0};
    }
    return sum;
}

// The first wrong rank; 0 if all are right.
template <class Right>
int rank_to_show(const Record& record, Right right) {
    for (int rank = 0; rank < record.timeline.ranks; ++rank) {
        if (!right(rank)) {
            return rank;
        }
    }
    return 0;
}

bool near_numbers(const std::vector<double>& a, const std::vector<double>& b, double error) {
    const double largest = std::accumulate(b.begin(), b.end(), 0.0,
                                           [](double most, double each) { return std::max(most, std::abs(each)); });
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](double x, double y) { return std::abs(x - y) <= error * largest; });
}

std::string sample_of(const std::vector<double>& numbers) {
    if (numbers.empty()) {
        return "nothing";
    }
    return fmt::format("{:.6g}{}", numbers.back(),
                       numbers.size() > 1 ? fmt::format(" as the last of {} numbers", numbers.size()) : "");
}

}  // namespace

std::vector<config::TomlEntry> on_machine(const std::string& name, bool hollow) {
    return {{"machine", "the lab's machine", name}, {"hollow", "the lab's machine", hollow}};
}

const std::vector<double>& reported(const Record& record, const std::string& name, int rank) {
    static const std::vector<double> nothing;
    const auto by_rank = record.reports.find(name);
    if (by_rank == record.reports.end()) {
        return nothing;
    }
    const auto numbers = by_rank->second.find(rank);
    return numbers == by_rank->second.end() ? nothing : numbers->second;
}

std::vector<Called> collectives_of(const Record& record, int rank) {
    std::vector<const Span*> spans;
    for (const Span& span : record.timeline.spans) {
        if (span.rank == rank && span.kind == OpKind::collective) {
            spans.push_back(&span);
        }
    }
    std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->op_number < b->op_number; });
    const std::vector<double>& numbers = reported(record, collectives, rank);
    std::vector<Called> called;
    for (std::size_t i = 0; 3 * i + 2 < numbers.size(); ++i) {
        const Duration time = i < spans.size() ? spans[i]->end - spans[i]->begin - spans[i]->idle : Duration{0};
        called.push_back({.kind = static_cast<CollectiveKind>(static_cast<int>(numbers[3 * i])),
                          .bytes = std::llround(numbers[3 * i + 1]),
                          .members = static_cast<int>(numbers[3 * i + 2]),
                          .time = time});
    }
    return called;
}

std::int64_t bytes_called(const Record& record, int rank, const Which& which) {
    std::int64_t sum = 0;
    for (const Called& each : collectives_of(record, rank)) {
        sum += which.holds(each) ? each.bytes : 0;
    }
    return sum;
}

Duration price_of(const Case& played, CollectiveKind kind, std::int64_t bytes, int members) {
    const auto named = std::find_if(played.costs.begin(), played.costs.end(),
                                    [](const config::TomlEntry& each) { return each.key == "machine"; });
    const Cluster cluster = training::machine_cluster(predict::read_machine(std::get<std::string>(named->value)));
    return cluster.network->collective_time(
        kind, bytes, network::footprint_of(Group::strided(0, 1, members), ranks_per_node(cluster)));
}

Check bytes_called_are(const Record& found, const Which& which, std::int64_t expected, std::string why) {
    const auto right = [&](int rank) { return bytes_called(found, rank, which) == expected; };
    const int shown = rank_to_show(found, right);
    return {.aspect = Aspect::bytes,
            .ok = right(shown),
            .expected = fmt::format("{} in {} on rank {}", text_of_bytes(expected), name_of(which.kind), shown),
            .found = fmt::format("{} in {} on rank {}", text_of_bytes(bytes_called(found, shown, which)),
                                 name_of(which.kind), shown),
            .why = std::move(why)};
}

Check time_called_is(const Record& found, const Which& which, const std::vector<Duration>& right, std::string why) {
    const auto is_right = [&](int rank) {
        return std::find(right.begin(), right.end(), time_called(found, rank, which)) != right.end();
    };
    const int shown = rank_to_show(found, is_right);
    return {.aspect = Aspect::time,
            .ok = is_right(shown),
            .expected = fmt::format("{} in {} on rank {}", text_of(right.front()), name_of(which.kind), shown),
            .found = fmt::format("{} in {} on rank {}", text_of(time_called(found, shown, which)), name_of(which.kind),
                                 shown),
            .why = std::move(why)};
}

Check peak_is_at_most(const Record& found, const Record& reference, std::string why) {
    const auto right = [&](int rank) { return peak_of(found, rank) <= peak_of(reference, rank) * 101 / 100; };
    const int shown = rank_to_show(found, right);
    return {.aspect = Aspect::memory,
            .ok = right(shown),
            .expected = fmt::format("{} at most on rank {}", text_of_bytes(peak_of(reference, shown)), shown),
            .found = fmt::format("{} on rank {}", text_of_bytes(peak_of(found, shown)), shown),
            .why = std::move(why)};
}

Check near_reference(const Record& found, const Record& reference, const std::string& name, double error,
                     std::string why) {
    const auto right = [&](int rank) {
        return near_numbers(reported(found, name, rank), reported(reference, name, rank), error);
    };
    const int shown = rank_to_show(found, right);
    return {.aspect = Aspect::data,
            .ok = right(shown),
            .expected = fmt::format("{} on rank {}", sample_of(reported(reference, name, shown)), shown),
            .found = fmt::format("{} on rank {}", sample_of(reported(found, name, shown)), shown),
            .why = std::move(why)};
}

Check same_everywhere(const Record& found, const std::string& name, std::string why) {
    const auto right = [&](int rank) { return reported(found, name, rank) == reported(found, name, 0); };
    const int shown = rank_to_show(found, right);
    const bool ok = right(shown) && !reported(found, name, 0).empty();
    return {.aspect = Aspect::data,
            .ok = ok,
            .expected = "the same on all ranks",
            .found = ok ? "the same on all ranks" : fmt::format("other {} on rank {} than on rank 0", name, shown),
            .why = std::move(why)};
}

}  // namespace sim::labs
