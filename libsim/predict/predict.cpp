#include "libsim/predict/predict.hpp"

#include "libsim/predict/folded/folded_step.hpp"
#include "libsim/predict/time_budget.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/layer_training.hpp"
#include "libsim/training/step/training_step.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <functional>

namespace sim::predict {

namespace {

using training::Layout;
using training::Machine;
using training::Transformer;

void add_rates(Prediction& prediction, const training::StepPlan& plan) {
    const Layout& layout = plan.layout;
    const double step = seconds(prediction.step);
    const double gpus = layout.ranks();
    prediction.peak_flops = plan.machine.gpu.peak(layout.numerics.precision);
    const double peak = prediction.peak_flops * gpus * step;
    const double sequences = layout.batch.global;
    prediction.tokens_per_second = sequences * plan.model.sequence / step;
    const double flops = training_flops(plan.model, layout.adapters, false) * sequences;
    double recomputed = 0;
    for (const training::StagePlan& stage : plan.stages) {
        recomputed += stage.recompute_flops * (gpus / layout.parallelism.pp);
    }
    prediction.mfu = flops / peak;
    prediction.flops_per_second = flops / (gpus * step);
    prediction.hfu = (flops + recomputed) / peak;
    // Without FlashAttention, masked scores are computed, too.
    const bool leaves_out = layout.framework.flash_attention;
    const double executed = training_flops(plan.model, layout.adapters, leaves_out) * sequences;
    prediction.hfu_without_masked = (executed + recomputed) / peak;
}

void add_budget(Prediction& prediction, const TimeBudget& account) {
    prediction.stage_budgets = account.of_stages(prediction.step);
    for (const Budget& stage : prediction.stage_budgets) {
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            prediction.budget[kind] += stage[kind] / static_cast<double>(prediction.stage_budgets.size());
        }
    }
    prediction.bubble_fraction =
        prediction.budget[static_cast<std::size_t>(TimeCategory::bubble)] / seconds(prediction.step);
}

[[noreturn]] void throw_broken(const replay::Replay& broken) {
    const std::string what =
        broken.dead.empty()       ? fmt::format("{} {} not get through", broken.lost_messages,
                                          broken.lost_messages == 1 ? "message does" : "messages do")
        : broken.dead.size() == 1 ? fmt::format("GPU {} dies", broken.dead.front())
                                  : fmt::format("GPU {} and {} more die", broken.dead.front(), broken.dead.size() - 1);
    throw BrokenRunError(fmt::format("the step does not end: {}, as was asked; {} others can never go on{}", what,
                                     broken.waiting.size(), kernel::lines_of(broken.waiting)),
                         !broken.dead.empty());
}

// Whether only the time is requested, of a step without disturbances.
bool takes_no_kernel(const PredictOptions& options) {
    return !options.details && !options.unfold && !options.hash_timeline && options.jitter <= 0 &&
           options.faults.empty() && !options.on_span && !options.on_program;
}

void run_in_kernel(Prediction& prediction, const training::StepPlan& plan, const PredictOptions& options) {
    const training::RankMap map(plan.layout, !options.unfold);
    const training::TrainingStep step(plan, map, {.jitter = options.jitter, .seed = options.seed});
    const replay::Recording recording(map.ranks(), std::cref(step));

    TimeBudget account(plan, map);
    replay::ReplayOptions replay{
        .cluster = training::step_cluster(plan, map), .hash_timeline = options.hash_timeline, .faults = options.faults};
    if (options.details || options.on_span || plan.steps > 1) {
        replay.on_span = [&](const Span& span) {
            account.take(span);
            if (options.on_span) {
                options.on_span(span);
            }
        };
    }
    const replay::Replay result = recording.replay(replay);
    if (!result.dead.empty() || !result.waiting.empty()) {
        throw_broken(result);
    }
    if (options.on_program) {
        options.on_program(recording, replay.cluster);
    }
    prediction.step = result.end - account.before_last();
    prediction.simulated_ranks = map.ranks();
    prediction.ops = result.ops;
    prediction.timeline_sha256 = result.timeline_sha256;
    if (options.details) {
        add_budget(prediction, account);
        prediction.communication = communication_of(plan, prediction);
    }
}

}  // namespace

Prediction predict_step(const Transformer& model, const Machine& machine, const Layout& layout,
                        const PredictOptions& options) {
    training::check_layout(model, machine, layout);
    const training::StepPlan plan = training::plan_step(model, machine, layout);
    Prediction prediction;
    if (takes_no_kernel(options) && pairs_end_together(plan)) {
        prediction.step = folded_step(plan).time;
        prediction.simulated_ranks = layout.parallelism.pp;
    } else {
        run_in_kernel(prediction, plan, options);
    }
    prediction.range = range_of(prediction.step, model, machine);
    prediction.memory = training::memory_of(model, machine, layout);
    add_rates(prediction, plan);
    return prediction;
}

RunCost cost_of(const Prediction& step, const Machine& machine, const Layout& layout, double steps) {
    constexpr double seconds_per_hour = 3600;
    RunCost cost{.steps = steps, .seconds = steps * seconds(step.step)};
    cost.gpu_hours = cost.seconds / seconds_per_hour * layout.ranks();
    cost.usd = cost.gpu_hours * machine.gpu.usd_per_hour;
    cost.kilowatt_hours = cost.gpu_hours * machine.gpu.power_watts / 1000;
    return cost;
}

}  // namespace sim::predict
