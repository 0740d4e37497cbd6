#include "libsim/parallel/pipeline/running_order.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    result.missing.resize(steps.size());
    std::vector<bool> made(hop_count(shape));
    std::vector<int> awake;
    for (int stage = shape.stages - 1; stage >= 0; --stage) {
        awake.push_back(stage);
    }
    while (!awake.empty()) {
        const int stage = awake.back();
        awake.pop_back();
        std::size_t& next = result.next[static_cast<std::size_t>(stage)];
        const std::vector<PipelineStep>& own = steps[static_cast<std::size_t>(stage)];
        for (; next < own.size(); ++next) {
            const PipelineHops inputs = taken_before(shape, stage, own, next);
            const bool waits = std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
                return input && !made[hop_number(shape, *input)];
            });
            if (waits) {
                break;
            }
            result.order.push_back({stage, next});
            for (const std::optional<PipelineHop>& output : sent_after(shape, stage, own, next)) {
                if (output) {
                    made[hop_number(shape, *output)] = true;
                    // A stage may be woken twice; the second time it stops at once.
                    awake.push_back(stage_of(shape, *output));
                }
            }
        }
    }
    for (int stage = 0; stage < shape.stages; ++stage) {
        const auto index = static_cast<std::size_t>(stage);
        if (result.next[index] < steps[index].size()) {
            for (const std::optional<PipelineHop>& input :
                 taken_before(shape, stage, steps[index], result.next[index])) {
                if (input && !made[hop_number(shape, *input)]) {
                    result.missing[index] = input;
                }
            }
        }
    }
    return result;
}

}  // namespace sim::parallel
