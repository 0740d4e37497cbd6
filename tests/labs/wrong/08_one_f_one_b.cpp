// Wrong pipelines for 1F1B.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/pipelines.hpp"

#include <algorithm>

namespace wrong {

namespace {

using sim::labs::pipelined;
using sim::labs::PipelineHabits;
using sim::labs::PipelineOrder;
using sim::parallel::one_f_one_b;
using sim::parallel::PipelineShape;
using sim::parallel::PipelineStep;
using sim::parallel::PipelineWork;

// Runs `more` forward passes ahead in addition to p - 1 - i; may be negative.
PipelineOrder warmed_up_by(int more) {
    return [more](const PipelineShape& shape, int stage) {
        const int ahead = std::clamp(shape.stages - 1 - stage + more, 0, shape.micro_batches);
        return one_f_one_b({.stages = ahead + 1, .micro_batches = shape.micro_batches}, 0);
    };
}
// Runs backward before forward in each pair.
std::vector<PipelineStep> backward_first(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps = one_f_one_b(shape, stage);
    const auto ahead = static_cast<std::size_t>(shape.stages - 1 - stage);
    for (std::size_t i = std::max<std::size_t>(ahead, 1); i + 1 < steps.size() - ahead; i += 2) {
        if (steps[i].work != steps[i + 1].work && steps[i].micro_batch != steps[i + 1].micro_batch) {
            std::swap(steps[i], steps[i + 1]);
        }
    }
    return steps;
}
std::vector<PipelineStep> all_but_the_last_stage(const PipelineShape& shape, int stage) {
    return stage == shape.stages - 1 ? sim::parallel::gpipe(shape, stage) : one_f_one_b(shape, stage);
}
std::vector<PipelineStep> first_stage_as_gpipe(const PipelineShape& shape, int stage) {
    return stage == 0 ? sim::parallel::gpipe(shape, stage) : one_f_one_b(shape, stage);
}
std::vector<PipelineStep> no_cool_down(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps = one_f_one_b(shape, stage);
    steps.resize(steps.size() - static_cast<std::size_t>(shape.stages - 1 - stage));
    return steps;
}
std::vector<PipelineStep> fewer_micro_batches(const PipelineShape& shape, int stage) {
    return one_f_one_b({.stages = shape.stages, .micro_batches = shape.micro_batches - 2}, stage);
}

Program one_f_one_b_with(const char* what, PipelineHabits habits, const char* named = "") {
    habits.order = habits.order ? habits.order : one_f_one_b;
    return {8, what, pipelined(std::move(habits)), named};
}

}  // namespace

std::vector<Program> of_lab_08();
std::vector<Program> of_lab_08() {
    return {
        one_f_one_b_with("two forward passes too many ahead", {.order = warmed_up_by(2)}),
        one_f_one_b_with("one too few ahead", {.order = warmed_up_by(-1)}),
        one_f_one_b_with("two too few ahead", {.order = warmed_up_by(-2)}),
        one_f_one_b_with("backward before forward in each pair", {.order = backward_first}),
        one_f_one_b_with("the last stage runs all forward passes first", {.order = all_but_the_last_stage}),
        one_f_one_b_with("stage 0 runs all forward passes first", {.order = first_stage_as_gpipe}),
        one_f_one_b_with("the last backward passes are missing", {.order = no_cool_down}, "no-cool-down"),
        one_f_one_b_with("two micro-batches are left out", {.order = fewer_micro_batches}),
        one_f_one_b_with("stages wait for their sends", {.sends_wait = true}),
        one_f_one_b_with("activations are never released", {.releases = false}),
        one_f_one_b_with("forward passes are computed again", {.recomputes = true}),
        one_f_one_b_with("a barrier before the first backward pass", {.barrier_between = true}),
        one_f_one_b_with("the mean over micro-batches", {.scale = 0.125}),
        one_f_one_b_with("the last micro-batch's gradient alone", {.last_alone = true}),
        one_f_one_b_with("gradients meet the activations of micro-batch 0", {.keeps_first = true}),
    };
}

}  // namespace wrong
