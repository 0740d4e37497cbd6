#include "libsim/parallel/pipeline/schedules/zero_bubble.hpp"

#include <algorithm>

namespace sim::parallel {

std::vector<PipelineStep> zero_bubble(const PipelineShape& shape, const ZeroBubble& stage) {
    const int m = shape.micro_batches;
    const int ahead = std::min(stage.ahead, m);
    const int put_off = std::min(stage.put_off, m);
    std::vector<PipelineStep> steps;
    steps.reserve(3 * static_cast<std::size_t>(m));
    for (int i = 0; i < ahead; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < m; ++i) {
        if (ahead + i < m) {
            steps.push_back({PipelineWork::forward, ahead + i});
        }
        steps.push_back({PipelineWork::backward_input, i});
        if (i >= put_off) {
            steps.push_back({PipelineWork::backward_weight, i - put_off});
        }
    }
    for (int i = m - put_off; i < m; ++i) {
        steps.push_back({PipelineWork::backward_weight, i});
    }
    return steps;
}

// At the end of the forwards ahead; some weights' gradients are put off by then.
PipelineInFlight zero_bubble_in_flight(const PipelineShape& shape, const ZeroBubble& stage) {
    const int m = shape.micro_batches;
    return {.activations = std::min(stage.ahead + 1, m),
            .weight_inputs = std::clamp(m - 1 - stage.ahead, 0, stage.put_off)};
}

}  // namespace sim::parallel
