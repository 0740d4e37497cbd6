#include "libsim/parallel/pipeline/running_order.hpp"

#include <fmt/format.h>

namespace sim::parallel {

const PipelineStep& at(const PipelineSteps& steps, const StepPlace& place) {
    return steps[static_cast<std::size_t>(place.stage)][place.number];
}

std::string describe(const StepPlace& place) {
    return fmt::format("stage {}, step {}", place.stage, place.number);
}

RunningOrder running_order(const PipelineShape& shape, const PipelineSteps& steps) {
    RunningOrder result;
    result.next.resize(steps.size());
    std::vector<bool> made(hop_count(shape));
    std::vector<int> awake;
    for (int stage = shape.stages - 1; stage >= 0; --stage) {
        awake.push_back(stage);
    }
    while (!awake.empty()) {
        const int stage = awake.back();
        awake.pop_back();
        std::size_t& next = result.next[static_cast<std::size_t>(stage)];
        for (; next < steps[static_cast<std::size_t>(stage)].size(); ++next) {
            const StepPlace place{stage, next};
            const std::optional<PipelineHop> input = input_of(shape, stage, at(steps, place));
            if (input && !made[hop_number(shape, *input)]) {
                break;
            }
            result.order.push_back(place);
            if (const std::optional<PipelineHop> output = output_of(shape, stage, at(steps, place))) {
                made[hop_number(shape, *output)] = true;
                awake.push_back(stage_of(shape, *output));
            }
        }
    }
    return result;
}

}  // namespace sim::parallel
