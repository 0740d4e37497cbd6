// The summary explains the outcome to a reader: what ran, where each rank's time went, and why N ranks are not N times
// as fast.
#pragma once

#include "scenarios/report/outcome.hpp"

#include <string>

namespace sim::scenarios {

std::string summary(const Outcome& outcome);

// The mesh's expert parallelism in Megatron's terms, in which ep is a share of dp x cp x tp.
std::string experts_as_megatron(const MeshSizes& mesh);

}  // namespace sim::scenarios
