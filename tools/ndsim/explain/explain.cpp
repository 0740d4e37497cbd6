// `ndsim explain` explains, at hardware level, why a training step or a scenario's run takes as long as it does.
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/explain/run.hpp"
#include "tools/ndsim/explain/step.hpp"
#include "tools/ndsim/explain/which.hpp"
#include "tools/ndsim/known_scenarios.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <memory>

namespace sim::tools {

using namespace command_line;

namespace {

// The given options that ndsim train has, too.
config::Given given_to_train(const config::Given& given) {
    explain::StepOptions options;
    config::Given found;
    for (const config::OptionRow& row : train_rows(options)) {
        if (const auto value = given.find(row.name); value != given.end()) {
            found.insert(*value);
        }
    }
    return found;
}

Answer which_answer(ExplainOptions& options, const Asked& asked) {
    if (asked.listener.timeline) {
        throw config::UsageError("--which compares many steps and has no timeline; leave out --which, or the file");
    }
    if (isatty(STDIN_FILENO) == 1) {
        ask_what_is_missing(options);
    }
    Answered answered = answer_which(options);
    Answer answer = forms_of(std::move(answered.explanation));
    if (!answered.fits) {
        answer.complaint = "nothing fits into memory";
        answer.exit_code = failed;
    }
    return answer;
}

Answer step_answer(const ExplainOptions& options, const Asked& asked) {
    ExplainedTraining made = explained_training(options, asked.listener.timeline != nullptr);
    if (asked.listener.timeline) {
        made.timeline.explanation = json_of(made.explanation);
        asked.listener.timeline(made.timeline);
    }
    Answer answer = forms_of(std::move(made.explanation));
    answer.complaint = made.misfit;
    answer.exit_code = made.misfit.empty() ? done : failed;
    return answer;
}

Question explain_question() {
    const auto options = std::make_shared<ExplainOptions>();
    return {.rows = explain_rows(*options),
            .offer = {.table = "write every figure in full precision as CSV",
                      .timeline = "write the step's timeline, for ui.perfetto.dev"},
            .answer = [options](const Asked& asked) {
                options->given = given_to_train(asked.given);
                return options->which ? which_answer(*options, asked) : step_answer(*options, asked);
            }};
}

int run_explain(int argc, const char* const* argv) {
    if (argc <= 1 || argv[1][0] == '-') {
        return run_question(executable_of(explain_command), explain_question(), argc, argv);
    }
    if (!is_scenario(argv[1])) {
        throw config::UsageError(fmt::format("there is no scenario {}{}", config::shortened(argv[1]),
                                             did_you_mean(argv[1], known_scenarios())));
    }
    return run_explain_scenario(argc - 1, argv + 1);
}

}  // namespace

Answer forms_of(explain::Explanation made) {
    const auto explanation = std::make_shared<const explain::Explanation>(std::move(made));
    return {.forms = {.text = [explanation] { return text_of(*explanation); },
                      .json = [explanation] { return json_of(*explanation); },
                      .table = [explanation] { return table_of(*explanation); }}};
}

const Command explain_command{
    .name = "explain",
    .headline = "explain a training step at hardware level: who holds what, where time is lost, what to try",
    .summary =
        "Explains a training step at hardware level: which rank holds what, what goes over which link, how much time "
        "is lost and why, and what to try. Every number is simulated or computed, and its source is given. Takes all "
        "options of ndsim train and chooses those you leave out. Ends with exit code 1, after the whole explanation, "
        "if the step does not fit into memory.",
    .examples = {"ndsim explain", "ndsim explain 3d_pipeline_parallel --micro-batches 8",
                 "ndsim explain --model llama3-70b --hardware cluster --strategy hybrid",
                 "ndsim explain --which --model llama3-70b --gpus 64",
                 "ndsim explain --model llama3-8b --gpus 64 --tp 2 --level beginner"},
    .schemas = {explain::explain_schema, explain::explain_columns},
    .question = explain_question,
    .run = run_explain};

}  // namespace sim::tools
