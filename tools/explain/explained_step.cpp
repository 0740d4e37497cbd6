#include "tools/explain/explained_step.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/planning/explain/step_sections.hpp"
#include "libsim/planning/report/sections.hpp"
#include "tools/answers/train_report.hpp"
#include "tools/explain/strategy.hpp"

#include <fmt/format.h>

namespace sim::tools {

namespace {

// The layout of the strategy; that of "auto" is the best of all.
void choose_layout(ExplainOptions& options, std::vector<std::string>& told) {
    if (options.strategy == Strategy::given) {
        return;
    }
    const Strategy strategy = options.strategy == Strategy::automatic ? Strategy::hybrid : options.strategy;
    const planning::TrainingOptions& training = options.train.training;
    if (!training.has("gpus")) {
        throw config::UsageError(
            fmt::format("--strategy {} chooses the layout of a number of GPUs: say --gpus, not "
                        "--dp alone",
                        name_of(options.strategy)));
    }
    const FoundLayout found =
        best_layout(options, {.strategy = strategy, .gpus = {training.gpus}, .goal = options.goal});
    if (!found.exists()) {
        throw config::UsageError(
            fmt::format("--strategy {}: there is no such layout: {}", name_of(options.strategy), found.why_not));
    }
    take_layout(options, found);
    told.push_back(fmt::format("layout: the {} of {} layouts of {} (--strategy {})",
                               found.row ? "best" : "smallest, as none fits,", found.looked_at, title_of(strategy),
                               name_of(options.strategy)));
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
        .options = &options.train.training, .report = &report, .command = train_command(options.given), .told = told};
    const std::string title = planning::title_of(report.what);
    made.explanation = {.title = title.substr(0, title.find('\n')),
                        .of = explained.command,
                        .level = options.level,
                        .sections = sections_of(explained)};
    if (!report.step.memory.fits()) {
        made.misfit = planning::misfit_line(report.step.memory, report.advice);
    }
    made.timeline = timeline_of(step, made.timeline.spans);
    return made;
}

}  // namespace sim::tools
