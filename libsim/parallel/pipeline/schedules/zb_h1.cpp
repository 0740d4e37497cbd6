#include "libsim/parallel/pipeline/schedules/zb_h1.hpp"

#include "libsim/parallel/pipeline/schedules/zero_bubble.hpp"

#include <algorithm>

namespace sim::parallel {

std::vector<PipelineStep> zb_h1(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = shape.stages - stage - 1, .put_off = stage});
}

PipelineBubble zb_h1_bubble(const PipelineShape& shape) {
    const double others = shape.stages - 1;
    return {others / (3.0 * shape.micro_batches + others), "(p-1) / (3 m + p-1)"};
}

PipelineInFlight zb_h1_in_flight(const PipelineShape& shape, int stage) {
    return zero_bubble_in_flight(shape, {.ahead = shape.stages - stage - 1, .put_off = stage});
}

Duration zb_h1_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    const Duration idle = (shape.stages - 1) * (passes.forward + passes.input - passes.weight);
    return passes_without_pause(shape, passes) + std::max(Duration{0}, idle);
}

}  // namespace sim::parallel
