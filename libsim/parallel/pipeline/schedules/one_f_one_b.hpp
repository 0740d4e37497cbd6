// 1F1B lets a stage run ahead by as many micro-batches as there are stages behind it, then alternates one forward and
// one backward.
//
// On a network that costs nothing as long as GPipe, (m + p - 1)(F + B), but stage i keeps min(p - i, m) activations.
// Source: Narayanan et al., PipeDream-Flush, ICML 2021.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

std::vector<PipelineStep> one_f_one_b(const PipelineShape& shape, int stage);
PipelineBubble one_f_one_b_bubble(const PipelineShape& shape);
PipelineInFlight one_f_one_b_in_flight(const PipelineShape& shape, int stage);
Duration one_f_one_b_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
