// Lab 12: items in proportion to speed, the mean over items, and Young's checkpoint interval.
#include "libsim/parallel/shares.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/course/slow_ranks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sim::labs {

lab::Program solution_12();

namespace {

struct SlowCase {
    int ranks;
    int slow_rank;
    double slowdown;
    int times;
};

// Chooses the number of items so that every fair and every even share is whole: `times` N for the slow rank (twice that
// for half slowdowns).
Case slow_case(SlowRankNumbers numbers, const SlowCase& which) {
    const bool is_whole = which.slowdown == std::floor(which.slowdown);
    const int of_slow_rank = which.times * which.ranks * (is_whole ? 1 : 2);
    numbers.items = static_cast<int>(of_slow_rank * (1 + (which.ranks - 1) * which.slowdown));
    numbers.costs.slowdown.assign(static_cast<std::size_t>(which.ranks), 1);
    numbers.costs.slowdown[static_cast<std::size_t>(which.slow_rank)] = which.slowdown;
    return {.ranks = which.ranks,
            .costs = numbers.costs.entries(),
            .given = Given({{"items", numbers.items},
                            {"slow_rank", which.slow_rank},
                            {"slowdown", which.slowdown},
                            {"elements", static_cast<double>(numbers.elements)},
                            {"flops_per_item", static_cast<double>(numbers.flops_per_item)},
                            {"checkpoint_seconds", numbers.checkpoint_seconds},
                            {"gpu_hours_between_failures", numbers.gpu_hours_between_failures},
                            {"cluster_gpus", numbers.cluster_gpus},
                            {"latency_seconds", numbers.costs.latency_seconds},
                            {"bytes_per_second", numbers.costs.bytes_per_second},
                            {"flops_per_second", numbers.costs.flops_per_second}})};
}

std::vector<Case> slow_cases(std::uint64_t seed) {
    Draw draw(seed, 12);
    SlowRankNumbers numbers;
    numbers.elements = 60 * static_cast<std::int64_t>(draw.of({5, 10, 15}));
    numbers.flops_per_item = static_cast<std::int64_t>(draw.of({2e6, 4e6, 5e6}));
    numbers.checkpoint_seconds = draw.of({20, 30, 60, 90});
    numbers.gpu_hours_between_failures = draw.of({20000, 50000});
    numbers.cluster_gpus = draw.of({512, 1024, 4096, 16384});
    numbers.costs.latency_seconds = draw.of({1e-6, 2e-6, 5e-6});
    numbers.costs.bytes_per_second = draw.of({1e9, 2e9, 4e9});
    const double slowdown = draw.of({1.5, 2, 2.5, 3, 4});
    const int slow = static_cast<int>(draw.of({0, 1, 2, 3}));
    const Case first = slow_case(numbers, {4, slow, slowdown, 1});
    numbers.cluster_gpus /= 2;
    const Case second = slow_case(numbers, {3, 2 - slow / 2, slowdown + 1, 1});
    numbers.elements += 60;
    return {first, second, slow_case(numbers, {5, slow + 1, slowdown, 1})};
}

UniformCosts costs_of(const Case& played) {
    return UniformCosts::of(played.given);
}

struct StepTimes {
    Duration items;
    Duration all_reduce;
    Duration all() const { return items + all_reduce; }
};

StepTimes fair_times(const Case& played) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    const UniformCosts costs = costs_of(played);
    const int fast = numbers.slow_rank == 0 ? 1 : 0;
    const int count = numbers.fair_shares()[static_cast<std::size_t>(fast)];
    return {costs.compute(count * numbers.flops_per_item),
            2 * (played.ranks - 1) * costs.message(8 * numbers.elements / played.ranks)};
}

// Items are 0, 1, …, and element i of item j's gradient is j + 1 + i mod 3.
std::map<int, std::vector<double>> means(const SlowRankNumbers& numbers) {
    std::vector<double> mean;
    for (std::int64_t i = 0; i < numbers.elements; ++i) {
        mean.push_back((numbers.items - 1) / 2.0 + 1 + static_cast<double>(i % 3));
    }
    std::map<int, std::vector<double>> everywhere;
    for (int rank = 0; rank < numbers.ranks; ++rank) {
        everywhere[rank] = mean;
    }
    return everywhere;
}

std::vector<Check> grade_slow(const Case& played, const Record& found, const Record& reference) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    const StepTimes times = fair_times(played);
    const int n = played.ranks;
    std::map<int, std::vector<double>> intervals;
    for (int rank = 0; rank < n; ++rank) {
        intervals[rank] = {numbers.youngs_interval()};
    }
    return {
        reports_are(found, "gradient", means(numbers), "the mean over all items: each item counts the same"),
        reports_are(found, "checkpoint interval", intervals,
                    fmt::format("Young: sqrt(2 x {} s to write x {:.6g} s between failures of {:.0f} GPUs)",
                                numbers.checkpoint_seconds, numbers.seconds_between_failures(), numbers.cluster_gpus)),
        time_is(found, times.all(),
                fmt::format("all ranks compute for I t / (sum of speeds) = {}, then 2 (N-1)(L + S/(N B)) = {}",
                            text_of(times.items), text_of(times.all_reduce))),
        bytes_sent_are(
            found, [&](int) { return 2 * (n - 1) * (8 * numbers.elements / n); },
            "one ring all-reduce of the gradient: 2 (N-1)/N S"),
        same_work(
            found, reference,
            fmt::format("rank {} gets 1/{:g} of the items of another rank", numbers.slow_rank, numbers.slowdown))};
}

std::vector<int> even(const SlowRankNumbers& numbers) {
    std::vector<int> counts;
    for (const parallel::Share& share : parallel::even_shares(numbers.items, numbers.ranks)) {
        counts.push_back(share.count);
    }
    return counts;
}
// In proportion to the time per item instead of the speed.
std::vector<int> upside_down(const SlowRankNumbers& numbers) {
    const double all = numbers.ranks - 1 + numbers.slowdown;
    std::vector<int> counts;
    for (int rank = 0; rank < numbers.ranks; ++rank) {
        counts.push_back(static_cast<int>(std::lround(numbers.items * numbers.slowdown_of(rank) / all)));
    }
    return counts;
}
double interval_of_one_gpu(const SlowRankNumbers& numbers) {
    return std::sqrt(2 * numbers.checkpoint_seconds * numbers.gpu_hours_between_failures * 3600);
}
double interval_in_hours(const SlowRankNumbers& numbers) {
    return std::sqrt(2 * numbers.checkpoint_seconds * numbers.gpu_hours_between_failures / numbers.cluster_gpus);
}

std::string says_even(const Case& played, const Record& theirs) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    const Duration idle = theirs.end() - fair_times(played).all();
    return fmt::format(
        "{}: all ranks have {} items, and wait for rank {}, which takes {:g} times as long; that costs {}. Share the "
        "items "
        "in proportion to speed, 1/slowdown.",
        text_of(theirs.end()), even(numbers).front(), numbers.slow_rank, numbers.slowdown, text_of(idle));
}
std::string says_upside_down(const Case& played, const Record& theirs) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    return fmt::format(
        "{}: rank {} is {:g} times as slow, and you gave it {:g} times as many items as the others. Share by speed, "
        "1/slowdown, and not by the time that an item takes.",
        text_of(theirs.end()), numbers.slow_rank, numbers.slowdown, numbers.slowdown);
}
std::string says_mean_of_means(const Case& played, const Record&) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    return fmt::format(
        "You average the means of the ranks, so that an item on slow rank {} counts {:g} times as much as another. Sum "
        "over all items, and divide by their number, {}.",
        numbers.slow_rank, numbers.slowdown, numbers.items);
}
std::string says_one_gpu(const Case& played, const Record&) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    return fmt::format(
        "{:.6g} s between checkpoints: you took the time between failures of one GPU. Any of {:.0f} GPUs ends the run, "
        "so "
        "it fails {:.0f} times as often.",
        interval_of_one_gpu(numbers), numbers.cluster_gpus, numbers.cluster_gpus);
}
std::string says_hours(const Case& played, const Record&) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    return fmt::format(
        "{:.4g} between checkpoints: you multiplied seconds by hours. Take the {:.4g} h between failures of the "
        "cluster as "
        "{:.6g} s.",
        interval_in_hours(numbers), numbers.seconds_between_failures() / 3600, numbers.seconds_between_failures());
}

std::vector<Summands> summands_of_items(const Case& played, int) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    Summands of{.report = "gradient", .kind = "gradients", .owner = "item", .of = {}};
    for (int item = 0; item < numbers.items; ++item) {
        std::vector<double> own;
        for (std::int64_t i = 0; i < numbers.elements; ++i) {
            own.push_back((item + 1 + static_cast<double>(i % 3)) / numbers.items);
        }
        of.of.push_back(std::move(own));
    }
    return {of};
}

std::vector<Slip> slips_of_slow(const Case& played) {
    const SlowRankNumbers numbers(played.given, played.ranks);
    const double write = numbers.checkpoint_seconds;
    const double between = numbers.seconds_between_failures();
    const StepTimes times = fair_times(played);
    const double each = seconds(costs_of(played).compute(numbers.flops_per_item));
    const char* const interval = "checkpoint interval";
    return {{interval, std::sqrt(write * between),
             "This interval is sqrt(C M): Young's is sqrt(2 C M), as on average half an interval is lost."},
            {interval, 2 * write * between, "This interval is 2 C M; Young's is its square root."},
            {interval, std::sqrt(2 * write * between) - write,
             "This interval is Daly's, without the time to write: "
             "Young's, sqrt(2 C M), is asked for."},
            {interval, between, "This interval is the time between two failures: half of all work would be lost."},
            {interval, std::sqrt(2 * write * numbers.gpu_hours_between_failures * 3600 * numbers.cluster_gpus),
             "This interval multiplies the time between failures by the GPUs: more GPUs fail more often, so divide."},
            {"", even(numbers).front() * each * numbers.slowdown + seconds(times.all_reduce),
             "This has even shares: all wait for the slow rank."},
            {"", even(numbers).front() * each + seconds(times.all_reduce),
             "This has even shares on ranks that are all fast: one of them is slow."},
            {"", seconds(times.items), "This is the computing alone; the all-reduce comes after it."}};
}

double truth_of_slow(const Case& played, const Record&) {
    return seconds(fair_times(played).all());
}

}  // namespace

Lab lab_12();
Lab lab_12() {
    return {.number = 12,
            .folder = "12-stragglers",
            .title = "Stragglers and failures",
            .cases = slow_cases,
            .solution = solution_12(),
            .grade = grade_slow,
            .mistakes = {{"even-shares", with_slow_rank({.shares = even}), says_even},
                         {"shares-upside-down", with_slow_rank({.shares = upside_down}), says_upside_down},
                         {"mean-of-means", with_slow_rank({.divides_by_own_items = true}), says_mean_of_means},
                         {"failures-of-one-gpu", with_slow_rank({.interval = interval_of_one_gpu}), says_one_gpu},
                         {"hours-times-seconds", with_slow_rank({.interval = interval_in_hours}), says_hours}},
            .prediction = {.question = "How long does the step take, with shares that fit the speeds?",
                           .truth = truth_of_slow},
            .summands = summands_of_items,
            .slips = slips_of_slow};
}

}  // namespace sim::labs
