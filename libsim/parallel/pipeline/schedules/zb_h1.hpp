// Zero bubble H1 is 1F1B with a split backward pass. The gradient of the input is sent on at once; that of the weights
// fills the time in which the stage would have waited.
//
// Stage i puts the weights' gradients off by i micro-batches, so that every stage keeps as much as 1F1B's first,
// min(p, m), until the gradient of the weights; min(p - i, m) until that of the input.
// On a network that costs nothing and with F = B = W: m (F + B + W) + (p - 1)(F + B - W) for m >= p, a third of 1F1B's
// idle time; F (2 p + 2 m - 1) for m <= p.
// Source: Qi et al., Zero Bubble Pipeline Parallelism, 2023.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

std::vector<PipelineStep> zb_h1(const PipelineShape& shape, int stage);
PipelineBubble zb_h1_bubble(const PipelineShape& shape);
PipelineInFlight zb_h1_in_flight(const PipelineShape& shape, int stage);
Duration zb_h1_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
