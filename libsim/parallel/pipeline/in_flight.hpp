// This function counts the activations that a stage's schedule keeps at one time.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

#include <span>

namespace sim::parallel {

// The most micro-batches, each counted for every chunk, whose forward is done and whose backward is not. A split
// backward frees an activation with `freed_by`: backward_input, as in the literature, or backward_weight, after which
// no part of it is needed. A whole backward frees it in either count.
int most_in_flight(std::span<const PipelineStep> steps, PipelineWork freed_by = PipelineWork::backward_input);

}  // namespace sim::parallel
