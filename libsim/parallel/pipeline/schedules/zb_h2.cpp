#include "libsim/parallel/pipeline/schedules/zb_h2.hpp"

#include "libsim/parallel/pipeline/schedules/zero_bubble.hpp"

namespace sim::parallel {

std::vector<PipelineStep> zb_h2(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = 2 * (shape.stages - stage - 1), .put_off = 2 * stage});
}

PipelineBubble zb_h2_bubble(const PipelineShape&) {
    return {0, "none"};
}

PipelineInFlight zb_h2_in_flight(const PipelineShape& shape, int stage) {
    return zero_bubble_in_flight(shape, {.ahead = 2 * (shape.stages - stage - 1), .put_off = 2 * stage});
}

Duration zb_h2_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    return passes_without_pause(shape, passes);
}

}  // namespace sim::parallel
