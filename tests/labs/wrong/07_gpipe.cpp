// Wrong pipelines for GPipe.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/pipelines.hpp"

namespace wrong {

namespace {

using sim::labs::pipelined;
using sim::labs::PipelineHabits;
using sim::parallel::gpipe;
using sim::parallel::PipelineShape;
using sim::parallel::PipelineStep;
using sim::parallel::PipelineWork;

using Steps = std::vector<PipelineStep>;

Steps first_alone(const PipelineShape&, int) {
    return {{PipelineWork::forward, 0}, {PipelineWork::backward, 0}};
}
Steps one_micro_batch_less(const PipelineShape& shape, int stage) {
    return gpipe({.stages = shape.stages, .micro_batches = shape.micro_batches - 1}, stage);
}
Steps in_two_halves(const PipelineShape& shape, int stage) {
    const int half = shape.micro_batches / 2;
    Steps steps = gpipe({.stages = shape.stages, .micro_batches = half}, stage);
    for (PipelineStep step : gpipe({.stages = shape.stages, .micro_batches = shape.micro_batches - half}, stage)) {
        step.micro_batch += half;
        steps.push_back(step);
    }
    return steps;
}
Steps forward_alone(const PipelineShape& shape, int stage) {
    Steps steps = gpipe(shape, stage);
    steps.resize(steps.size() / 2);
    return steps;
}
Steps last_stage_alternates(const PipelineShape& shape, int stage) {
    return stage == shape.stages - 1 ? sim::parallel::one_f_one_b(shape, stage) : gpipe(shape, stage);
}
// Every stage but the last waits for a gradient that is never sent.
Steps last_stage_goes_no_way_back(const PipelineShape& shape, int stage) {
    return stage == shape.stages - 1 ? forward_alone(shape, stage) : gpipe(shape, stage);
}

Program gpipe_with(const char* what, PipelineHabits habits) {
    habits.order = habits.order ? habits.order : gpipe;
    return {7, what, pipelined(std::move(habits))};
}

}  // namespace

std::vector<Program> of_lab_07();
std::vector<Program> of_lab_07() {
    return {
        gpipe_with("only micro-batch 0", {.order = first_alone}),
        gpipe_with("the last micro-batch is left out", {.order = one_micro_batch_less}),
        gpipe_with("two halves, one after the other", {.order = in_two_halves}),
        gpipe_with("no backward passes", {.order = forward_alone}),
        gpipe_with("the last stage alternates", {.order = last_stage_alternates}),
        gpipe_with("the last stage never goes back", {.order = last_stage_goes_no_way_back}),
        gpipe_with("the mean over micro-batches", {.scale = 0.125}),
        gpipe_with("waits for its sends, with a barrier", {.sends_wait = true, .barrier_between = true}),
        gpipe_with("forward passes are computed again", {.recomputes = true}),
        gpipe_with("a barrier between forward and backward", {.barrier_between = true}),
        gpipe_with("the last micro-batch's gradient alone", {.last_alone = true}),
        gpipe_with("gradients meet the activations of micro-batch 0", {.keeps_first = true}),
        gpipe_with("waits for its sends, and recomputes", {.sends_wait = true, .recomputes = true}),
        gpipe_with("sends late, and halves the gradient", {.sends_late = true, .scale = 0.5}),
    };
}

}  // namespace wrong
