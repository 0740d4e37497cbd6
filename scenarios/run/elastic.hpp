// These functions shrink a training to the replicas that a death has left: its mesh then has fewer of them along dp.
#pragma once

#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

// The options of a life whose ranks are in these places: complete replicas, all of them or fewer.
Options options_of_life(const Options& options, const std::vector<int>& places);

// The ranks of a life whose replicas have lost no rank.
std::vector<int> living_replicas(const Options& options, int ranks, const std::vector<int>& dead);

// Throws UsageError if the replicas that the faults leave, one after the other, cannot train as the options ask.
// Requires: all replicas together can.
void check_elastic(const Options& options, const Cluster& cluster);

}  // namespace sim::scenarios
