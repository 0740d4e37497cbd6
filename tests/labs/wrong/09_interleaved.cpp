// Wrong pipelines for interleaved stages.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/pipelines.hpp"

#include <algorithm>

namespace wrong {

namespace {

using sim::labs::pipelined;
using sim::labs::PipelineHabits;
using sim::labs::PipelineOrder;
using sim::parallel::interleaved;
using sim::parallel::PipelineShape;
using sim::parallel::PipelineStep;
using sim::parallel::PipelineWork;

// The passes of each direction in the right order, with `more` additional forward passes ahead.
PipelineOrder interleaved_with_more_ahead(int more) {
    return [more](const PipelineShape& shape, int stage) {
        std::vector<PipelineStep> forward;
        std::vector<PipelineStep> backward;
        for (const PipelineStep& step : interleaved(shape, stage)) {
            (step.work == PipelineWork::forward ? forward : backward).push_back(step);
        }
        const int right = 2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * shape.stages;
        const auto ahead = static_cast<std::size_t>(std::clamp(right + more, 0, shape.micro_batches * shape.chunks));
        std::vector<PipelineStep> steps(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
        for (std::size_t n = 0; n < backward.size(); ++n) {
            if (ahead + n < forward.size()) {
                steps.push_back(forward[ahead + n]);
            }
            steps.push_back(backward[n]);
        }
        return steps;
    };
}
std::vector<PipelineStep> only_p_micro_batches(const PipelineShape& shape, int stage) {
    return interleaved({.stages = shape.stages, .micro_batches = shape.stages, .chunks = shape.chunks}, stage);
}
std::vector<PipelineStep> without_the_last_backward(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps = interleaved(shape, stage);
    steps.pop_back();
    return steps;
}
// Groups of p micro-batches one after another, each as a step of its own.
std::vector<PipelineStep> group_after_group(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps;
    for (int first = 0; first < shape.micro_batches; first += shape.stages) {
        for (PipelineStep step : only_p_micro_batches(shape, stage)) {
            step.micro_batch += first;
            steps.push_back(step);
        }
    }
    return steps;
}
std::vector<PipelineStep> micro_batches_backwards(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps = interleaved(shape, stage);
    for (PipelineStep& step : steps) {
        step.micro_batch = stage == 0 ? shape.micro_batches - 1 - step.micro_batch : step.micro_batch;
    }
    return steps;
}

Program interleaved_with(const char* what, PipelineHabits habits) {
    habits.order = habits.order ? habits.order : interleaved;
    return {9, what, pipelined(std::move(habits))};
}

}  // namespace

std::vector<Program> of_lab_09();
std::vector<Program> of_lab_09() {
    return {
        interleaved_with("one forward pass too many ahead", {.order = interleaved_with_more_ahead(1)}),
        interleaved_with("two too many ahead", {.order = interleaved_with_more_ahead(2)}),
        interleaved_with("one too few ahead", {.order = interleaved_with_more_ahead(-1)}),
        interleaved_with("only p micro-batches", {.order = only_p_micro_batches}),
        interleaved_with("the last backward pass is missing", {.order = without_the_last_backward}),
        interleaved_with("group after group, with a bubble each", {.order = group_after_group}),
        interleaved_with("stage 0 numbers its micro-batches backwards", {.order = micro_batches_backwards}),
        interleaved_with("stages wait for their sends", {.sends_wait = true}),
        interleaved_with("activations are never released", {.releases = false}),
        interleaved_with("forward passes are computed again", {.recomputes = true}),
        interleaved_with("a barrier before the first backward pass", {.barrier_between = true}),
        interleaved_with("the mean over micro-batches", {.scale = 0.125}),
        interleaved_with("the last micro-batch's gradient alone", {.last_alone = true}),
        interleaved_with("gradients meet the activations of micro-batch 0", {.keeps_first = true}),
    };
}

}  // namespace wrong
