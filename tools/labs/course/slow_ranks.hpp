// A training step on GPUs of different speed, for the course: its numbers, and rank programs that share items, average
// gradients and choose a checkpoint interval in any way.
#pragma once

#include "tools/labs/costs.hpp"
#include "tools/labs/lab.hpp"

#include <functional>

namespace sim::labs {

struct SlowRankNumbers {
    int ranks = 1;
    int items = 0;
    int slow_rank = 0;
    double slowdown = 1;
    std::int64_t elements = 0;  // in the gradient, 8 bytes each
    std::int64_t flops_per_item = 0;
    double checkpoint_seconds = 0;
    double gpu_hours_between_failures = 0;
    double cluster_gpus = 1;
    UniformCosts costs;

    SlowRankNumbers() = default;
    SlowRankNumbers(const Given& given, int ranks);

    double slowdown_of(int rank) const { return rank == slow_rank ? slowdown : 1; }
    std::vector<int> fair_shares() const;  // items in proportion to a rank's speed
    double seconds_between_failures() const { return gpu_hours_between_failures * 3600 / cluster_gpus; }
    double youngs_interval() const;
};

// A program's choices in each of the three tasks.
struct SlowRankHabits {
    std::function<std::vector<int>(const SlowRankNumbers&)> shares;  // default: fair
    bool divides_by_own_items = false;                               // and by the number of ranks after the sum
    bool divides_by_ranks = false;
    bool divides = true;
    bool sums = true;
    std::function<int(const SlowRankNumbers&, int rank)> first_item;  // default: after the items of lower ranks
    bool barrier = false;
    std::function<double(const SlowRankNumbers&)> interval;  // default: Young's
};
lab::Program with_slow_rank(SlowRankHabits habits);

}  // namespace sim::labs
