#include "tools/ndsim/explain/step.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/explain/explained_step.hpp"
#include "tools/ndsim/explain/strategy.hpp"
#include "tools/ndsim/explain/which.hpp"
#include "tools/ndsim/train.hpp"

#include <fmt/format.h>

namespace sim::tools {

namespace {

// "auto" takes the answer of --which, or the hybrid layout that needs the least memory if none fits.
FoundLayout layout_of(const ExplainOptions& options) {
    const int gpus = options.train.training.gpus;
    if (options.strategy != Strategy::automatic) {
        return best_layout(options, {.strategy = options.strategy, .gpus = {gpus}, .goal = options.goal});
    }
    const std::vector<Alternative> alternatives = alternatives_of(options);
    const Alternative* const best = best_of(alternatives, options.goal);
    return best != nullptr ? best->found : alternatives.back().found;
}

void choose_layout(ExplainOptions& options, std::vector<std::string>& notes) {
    if (options.strategy == Strategy::given) {
        return;
    }
    const predict::TrainingOptions& training = options.train.training;
    if (!training.has("gpus")) {
        throw config::UsageError(
            fmt::format("--strategy {} chooses the layout of a number of GPUs: give --gpus, not "
                        "--dp alone",
                        name_of(options.strategy)));
    }
    const FoundLayout found = layout_of(options);
    if (!found.exists()) {
        throw config::UsageError(
            fmt::format("--strategy {}: there is no such layout: {}", name_of(options.strategy), found.why_not));
    }
    take_layout(options, found);
    notes.push_back(fmt::format("layout: the {} of {} layouts of {} (--strategy {})",
                                found.row ? "best" : "smallest, as none fits,", found.looked_at,
                                title_of(found.strategy), name_of(options.strategy)));
}

}  // namespace

ExplainedTraining explained_training(const ExplainOptions& given, bool wants_timeline) {
    std::vector<std::string> notes;
    ExplainOptions options = completed(given, notes);
    choose_layout(options, notes);
    ExplainedTraining made;
    explain::StepWatch watch{.hash = true};
    if (!options.train.unfold || wants_timeline) {
        watch.on_span = [&](const Span& span) { made.timeline.add(span); };
    }
    explain::StepReport report = predicted_step(options.train, watch);
    complete(report, made.timeline.spans);
    report.given = options.given;
    made.explanation = explanation_of(explain::ExplainedStep{
        .report = &report,
        .command = [&](const predict::Change& change) { return train_line(options.given, change); },
        .notes = notes,
        .settings = options.settings,
        .level = options.level});
    if (!report.step.memory.fits()) {
        made.misfit = explain::misfit_line(report.step.memory, report.advice);
    }
    if (wants_timeline) {
        made.timeline = timeline_of(report, made.timeline.spans);
    }
    return made;
}

}  // namespace sim::tools
