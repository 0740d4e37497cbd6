// 1F1B lets a stage run ahead by as many micro-batches as there are stages behind it, then alternates one forward and
// one backward.
//
// On a network without costs it takes as long as GPipe, (m + p - 1)(F + B), but stage i keeps only min(p - i, m)
// activations.
// Source: Narayanan et al., PipeDream-Flush, ICML 2021.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include <algorithm>

namespace sim::parallel {

std::vector<PipelineStep> one_f_one_b(const PipelineShape& shape, int stage) {
    const int m = shape.micro_batches;
    const int ahead = std::min(shape.stages - stage - 1, m);
    std::vector<PipelineStep> steps;
    steps.reserve(2 * static_cast<std::size_t>(m));
    for (int i = 0; i < ahead; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < m; ++i) {
        if (ahead + i < m) {
            steps.push_back({PipelineWork::forward, ahead + i});
        }
        steps.push_back({PipelineWork::backward, i});
    }
    return steps;
}

PipelineBubble one_f_one_b_bubble(const PipelineShape& shape) {
    const double others = shape.stages - 1;
    return {others / (shape.micro_batches + others), "(p-1) / (m+p-1)"};
}

PipelineInFlight one_f_one_b_in_flight(const PipelineShape& shape, int stage) {
    return {.activations = std::min(shape.stages - stage, shape.micro_batches)};
}

// The first backward pass waits for the later stages, or for the forward passes ahead of it.
Duration one_f_one_b_passes(const PipelineShape& shape, int stage, const StagePasses& passes) {
    const std::int64_t m = shape.micro_batches;
    const std::int64_t ahead = std::min<std::int64_t>(m, shape.stages - stage);
    return std::max(ahead * passes.forward, passes.forward + passes.beyond) + (m - ahead) * passes.forward +
           m * passes.backward();
}

}  // namespace sim::parallel
