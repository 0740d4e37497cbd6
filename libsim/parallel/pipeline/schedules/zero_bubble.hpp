// Zero-bubble schedules share one order of steps: forwards ahead, then a forward and a backward of the input in turn,
// with the weights' gradients some micro-batches behind.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

struct ZeroBubble {
    int ahead = 0;    // forwards before the first backward's own
    int put_off = 0;  // how many micro-batches the weights' gradients are behind
};
// Both as far as there are micro-batches.
std::vector<PipelineStep> zero_bubble(const PipelineShape& shape, const ZeroBubble& stage);
PipelineInFlight zero_bubble_in_flight(const PipelineShape& shape, const ZeroBubble& stage);

}  // namespace sim::parallel
