#include "tools/explain/explained_step.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/planning/explain/step_sections.hpp"
#include "libsim/planning/report/sections.hpp"
#include "tools/answers/train_report.hpp"
#include "tools/explain/strategy.hpp"
#include "tools/explain/which.hpp"

#include <fmt/format.h>

namespace sim::tools {

namespace {

// "auto" takes what --which answers; where nothing fits, what needs least.
FoundLayout layout_of(const ExplainOptions& options) {
    const int gpus = options.train.training.gpus;
    if (options.strategy != Strategy::automatic) {
        return best_layout(options, {.strategy = options.strategy, .gpus = {gpus}, .goal = options.goal});
    }
    const std::vector<Alternative> alternatives = alternatives_of(options);
    const Alternative* const best = best_of(alternatives, options.goal);
    return best != nullptr ? best->found : alternatives.back().found;
}

void choose_layout(ExplainOptions& options, std::vector<std::string>& told) {
    if (options.strategy == Strategy::given) {
        return;
    }
    const planning::TrainingOptions& training = options.train.training;
    if (!training.has("gpus")) {
        throw config::UsageError(
            fmt::format("--strategy {} chooses the layout of a number of GPUs: say --gpus, not "
                        "--dp alone",
                        name_of(options.strategy)));
    }
    const FoundLayout found = layout_of(options);
    if (!found.exists()) {
        throw config::UsageError(
            fmt::format("--strategy {}: there is no such layout: {}", name_of(options.strategy), found.why_not));
    }
    take_layout(options, found);
    told.push_back(fmt::format("layout: the {} of {} layouts of {} (--strategy {})",
                               found.row ? "best" : "smallest, as none fits,", found.looked_at,
                               title_of(found.strategy), name_of(options.strategy)));
}

std::string changed_command(const ExplainOptions& options, const planning::Change& change) {
    ExplainOptions other = options;
    for (const auto& [name, value] : change) {
        take_option(other, name, value);
    }
    return train_command(other.given);
}

}  // namespace

ExplainedTraining explained_training(const ExplainOptions& given) {
    std::vector<std::string> told;
    ExplainOptions options = completed(given, told);
    choose_layout(options, told);
    ExplainedTraining made;
    const TrainStep step =
        train_step(options.train, {.hash = true, .on_span = [&](const Span& span) { made.timeline.add(span); }});
    planning::StepReport report = train_report(options.train, step, made.timeline.spans);
    report.given = options.given;
    const planning::ExplainedStep explained{
        .options = &options.train.training,
        .report = &report,
        .command = [&](const planning::Change& change) { return changed_command(options, change); },
        .told = told,
        .settings = options.settings};
    const std::string title = planning::title_of(report.what);
    made.explanation = {.title = title.substr(0, title.find('\n')),
                        .of = train_command(options.given),
                        .level = options.level,
                        .sections = sections_of(explained)};
    if (!report.step.memory.fits()) {
        made.misfit = planning::misfit_line(report.step.memory, report.advice);
    }
    made.timeline = timeline_of(step, made.timeline.spans);
    return made;
}

}  // namespace sim::tools
