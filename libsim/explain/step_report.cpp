#include "libsim/explain/step_report.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/predict/step_timeline.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

std::string axes_of(const training::Layout& layout) {
    std::string text = fmt::format("dp {}", layout.parallelism.dp);
    for (const auto& [name, size] : {std::pair{"tp", layout.parallelism.tp},
                                     {"pp", layout.parallelism.pp},
                                     {"cp", layout.parallelism.cp},
                                     {"ep", layout.parallelism.ep},
                                     {"expert-tp", layout.parallelism.expert_tp}}) {
        if (size > 1) {
            text += fmt::format(", {} {}", name, size);
        }
    }
    if (layout.shard_copies() > 1) {
        text += fmt::format(", replicate {} x shard {}", layout.shard_copies(), layout.shards());
    }
    return text;
}

}  // namespace

StepReport predicted_step(const StepOptions& options, const StepWatch& watch) {
    if (options.steps > 0 && options.tokens > 0) {
        throw config::UsageError("--steps and --tokens both set the length of a run; give one of them");
    }
    StepReport report{.options = options, .what = training_case(options.training)};
    const TrainingCase& what = report.what;
    config::check_faults(options.faults, what.gpus(), training::machine_cluster(what.machine).network);
    report.step = predict_step(what.model, what.machine, what.layout,
                               {.unfold = options.every_rank(),
                                .hash_timeline = watch.hash,
                                .jitter = options.training.jitter,
                                .seed = static_cast<std::uint64_t>(options.training.seed),
                                .faults = options.faults,
                                .on_span = watch.on_span,
                                .on_program = watch.on_program});
    return report;
}

void complete(StepReport& report, const std::vector<Span>& spans) {
    const TrainingCase& what = report.what;
    const StepOptions& options = report.options;
    const auto cost = [&](double steps) { return cost_of(report.step, what.machine, what.layout, steps); };
    report.path = critical_path(spans);
    report.per_step = cost(1);
    report.per_trillion_tokens = cost(1e12 / what.tokens_of_step());
    if (options.steps > 0) {
        report.run = cost(options.steps);
    } else if (options.tokens > 0) {
        report.run = cost(options.tokens / what.tokens_of_step());
    }
    // Sensitivities and advice compare with predict_time(), which folds ranks and has no jitter.
    report.undisturbed = predict_time(what.model, what.machine, what.layout).step;
    const double plain = seconds(report.undisturbed);
    report.sensitivities = sensitivities(what, plain, predict_time);
    report.advice = advice(options.training, what, plain, predict_time);
}

std::string title_of(const TrainingCase& what) {
    return fmt::format("{} on {} x {} ({}): {}", what.model.name, what.gpus(), what.machine.gpu.name, what.machine.name,
                       axes_of(what.layout));
}

report::Timeline timeline_of(const StepReport& report, const std::vector<Span>& spans) {
    const StepOptions& options = report.options;
    report::Timeline timeline = step_timeline(report.what, spans, options.every_rank());
    timeline.title = title_of(report.what);
    timeline.facts = {{"step", fmt::format("{:.6g} s", seconds(report.step.step))},
                      {"MFU", fmt::format("{:.1f} %", 100 * report.step.mfu)}};
    if (!options.faults.empty()) {
        timeline.facts.push_back({"faults", to_text(options.faults)});
    }
    return timeline;
}

}  // namespace sim::explain
