#include "tools/answers/train_step.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/fault_option.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/predict/step_timeline.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

namespace sim::tools {

std::vector<config::OptionRow> train_rows(TrainOptions& options) {
    std::vector<config::OptionRow> rows = predict::training_rows(options.training);
    rows.insert(
        rows.end(),
        {{"tokens", "X", "of a whole run: 15T or 15e12", config::suffixed(config::real(options.tokens, 1, 1e18))},
         {"steps", "X", "of a whole run, in place of --tokens", config::real(options.steps, 1, 1e12)},
         {"unfold", "", "simulate every rank, not one of each stage", config::flag(options.unfold)},
         config::fault_row(options.faults)});
    return rows;
}

TrainStep train_step(const TrainOptions& options, const StepWatch& watch) {
    if (options.steps > 0 && options.tokens > 0) {
        throw config::UsageError("--steps and --tokens both say how long a run is; give one of them");
    }
    TrainStep made{.what = predict::training_case(options.training),
                   .step = {},
                   .unfolded = options.every_rank(),
                   .faults = options.faults};
    config::check_faults(options.faults, made.what.gpus(), training::machine_cluster(made.what.machine).network);
    made.step = predict::predict_step(made.what.model, made.what.machine, made.what.layout,
                                      {.unfold = options.every_rank(),
                                       .hash_timeline = watch.hash,
                                       .jitter = options.training.jitter,
                                       .seed = static_cast<std::uint64_t>(options.training.seed),
                                       .faults = options.faults,
                                       .on_span = watch.on_span,
                                       .on_program = watch.on_program});
    return made;
}

report::Timeline timeline_of(const TrainStep& step, const std::vector<Span>& spans) {
    report::Timeline timeline = predict::step_timeline(step.what, spans, step.unfolded);
    const std::string title = explain::title_of(step.what);
    timeline.title = title.substr(0, title.find('\n'));
    timeline.facts = {{"step", fmt::format("{:.6g} s", seconds(step.step.step))},
                      {"MFU", fmt::format("{:.1f} %", 100 * step.step.mfu)}};
    if (!step.faults.empty()) {
        timeline.facts.push_back({"faults", to_text(step.faults)});
    }
    return timeline;
}

}  // namespace sim::tools
