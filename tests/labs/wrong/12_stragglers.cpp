// Wrong ways to handle a slow rank and failures.
#include "libsim/parallel/shares.hpp"
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/slow_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace wrong {

namespace {

using sim::labs::SlowRankHabits;
using sim::labs::SlowRankNumbers;

std::vector<int> slow_rank_rests(const SlowRankNumbers& numbers) {
    std::vector<double> speeds(static_cast<std::size_t>(numbers.ranks), 1);
    speeds[static_cast<std::size_t>(numbers.slow_rank)] = 0;
    std::vector<int> counts;
    for (const sim::parallel::Share& share : sim::parallel::weighted_shares(numbers.items, speeds)) {
        counts.push_back(share.count);
    }
    return counts;
}
// One rank has one item too many, another one too few.
std::vector<int> one_item_off(const SlowRankNumbers& numbers) {
    std::vector<int> counts = numbers.fair_shares();
    counts.front() -= 1;
    counts.back() += 1;
    return counts;
}
std::vector<int> one_item_lost(const SlowRankNumbers& numbers) {
    std::vector<int> counts = numbers.fair_shares();
    counts.back() -= 1;
    return counts;
}
// The fair shares, but with the wrong rank as the slow one.
std::vector<int> another_rank_is_slow(const SlowRankNumbers& numbers) {
    std::vector<int> counts = numbers.fair_shares();
    std::rotate(counts.begin(), counts.begin() + 1, counts.end());
    return counts;
}
std::vector<int> everything_on_every_rank(const SlowRankNumbers& numbers) {
    return std::vector<int>(static_cast<std::size_t>(numbers.ranks), numbers.items);
}

int item_0(const SlowRankNumbers&, int) {
    return 0;
}

double without_the_2(const SlowRankNumbers& numbers) {
    return std::sqrt(numbers.checkpoint_seconds * numbers.seconds_between_failures());
}
double without_the_root(const SlowRankNumbers& numbers) {
    return 2 * numbers.checkpoint_seconds * numbers.seconds_between_failures();
}
double as_seldom_as_failures(const SlowRankNumbers& numbers) {
    return numbers.seconds_between_failures();
}
double of_the_ranks_alone(const SlowRankNumbers& numbers) {
    return std::sqrt(2 * numbers.checkpoint_seconds * numbers.gpu_hours_between_failures * 3600 / numbers.ranks);
}

Program slow_with(const char* what, SlowRankHabits habits) {
    return {12, what, sim::labs::with_slow_rank(std::move(habits))};
}

}  // namespace

std::vector<Program> of_lab_12();
std::vector<Program> of_lab_12() {
    return {
        slow_with("the slow rank rests", {.shares = slow_rank_rests}),
        slow_with("one item on the wrong rank", {.shares = one_item_off}),
        slow_with("one item is lost", {.shares = one_item_lost}),
        slow_with("another rank is taken for the slow one", {.shares = another_rank_is_slow}),
        slow_with("every rank computes everything", {.shares = everything_on_every_rank, .first_item = item_0}),
        slow_with("the sum in place of the mean", {.divides = false}),
        slow_with("the sum over items, divided by ranks", {.divides_by_ranks = true}),
        slow_with("gradients stay where they are", {.sums = false}),
        slow_with("all begin with item 0", {.first_item = item_0}),
        slow_with("a barrier before the all-reduce", {.barrier = true}),
        slow_with("Young without the 2", {.interval = without_the_2}),
        slow_with("Young without the root", {.interval = without_the_root}),
        slow_with("a checkpoint for each failure", {.interval = as_seldom_as_failures}),
        slow_with("the failures of the ranks that run here", {.interval = of_the_ranks_alone}),
        slow_with("mean of means, and failures as often as checkpoints",
                  {.divides_by_own_items = true, .interval = as_seldom_as_failures}),
    };
}

}  // namespace wrong
