// Checks before a training begins: the memory of this machine, and the replicas that deaths leave. Without those, its
// mesh has fewer of them along dp.
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

// Throws MachineLimit, giving the number of ranks that would fit, if this machine lacks the memory that a training
// needs; the kernel's out-of-memory killer would end the run without a word.
void check_memory(const Options& options);

}  // namespace sim::scenarios
