// Zero bubble H2 runs twice as many forwards ahead as H1, so that no stage ever waits between its first step and its
// last one. The stages begin one after another and end in the same order; the next step fills the gap if nothing
// synchronizes them between two steps: the optimizer's update must not wait for all of them.
//
// Stage i runs 2 (p - i - 1) forwards ahead and puts the weights' gradients off by 2 i micro-batches: every stage keeps
// min(2 p - 1, m) until the gradient of the weights.
// On a network that costs nothing, with F = B = W and m >= 2 p - 1: a stage is busy from its first step to its last,
// m (F + B + W).
// Source: Qi et al., Zero Bubble Pipeline Parallelism, 2023.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// From so many micro-batches on no stage waits.
constexpr int zb_h2_fills_from(int stages) {
    return 2 * stages - 1;
}

std::vector<PipelineStep> zb_h2(const PipelineShape& shape, int stage);
PipelineBubble zb_h2_bubble(const PipelineShape& shape);
PipelineInFlight zb_h2_in_flight(const PipelineShape& shape, int stage);
Duration zb_h2_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
