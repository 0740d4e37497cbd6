// GPipe runs all micro-batches forward, then all backward. Every activation is kept until its backward pass.
//
// On a network without costs: (m + p - 1)(F + B), idle fraction (p - 1) / (m + p - 1); m activations kept. The backward
// passes take the micro-batches in forward order.
// Source: Huang et al., GPipe, NeurIPS 2019.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

namespace sim::parallel {

std::vector<PipelineStep> gpipe(const PipelineShape& shape, int) {
    std::vector<PipelineStep> steps;
    steps.reserve(2 * static_cast<std::size_t>(shape.micro_batches));
    for (int i = 0; i < shape.micro_batches; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < shape.micro_batches; ++i) {
        steps.push_back({PipelineWork::backward, i});
    }
    return steps;
}

PipelineBubble gpipe_bubble(const PipelineShape& shape) {
    const double others = shape.stages - 1;
    return {others / (shape.micro_batches + others), "(p-1) / (m+p-1)"};
}

PipelineInFlight gpipe_in_flight(const PipelineShape& shape, int) {
    return {.activations = shape.micro_batches};
}

Duration gpipe_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    // The first backward pass comes after all forward passes and the way through the later stages and back.
    return passes_without_pause(shape, passes) + passes.beyond;
}

}  // namespace sim::parallel
