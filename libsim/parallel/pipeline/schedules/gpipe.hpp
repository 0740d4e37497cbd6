// GPipe runs all micro-batches forward, then all backward. Every activation is kept until then.
//
// On a network that costs nothing: (m + p - 1)(F + B), share of idle time (p - 1) / (m + p - 1); m activations kept.
// Source: Huang et al., GPipe, NeurIPS 2019. Backward goes through the micro-batches in the order of forward.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

std::vector<PipelineStep> gpipe(const PipelineShape& shape, int stage);
PipelineBubble gpipe_bubble(const PipelineShape& shape);
PipelineInFlight gpipe_in_flight(const PipelineShape& shape, int stage);
Duration gpipe_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
