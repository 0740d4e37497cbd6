// ndsim explain: why a training step, or the run of a scenario, takes as long as it does, at hardware level.
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/explain/explained_step.hpp"
#include "tools/explain/which.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/known_scenarios.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace sim::tools {

using namespace command_line;

namespace {

const Executable explain_command{
    .name = "ndsim explain",
    .summary =
        "Explains a training step at hardware level: who holds what, what goes over which link, what is lost and why, "
        "and what to try. Every number is simulated or computed, and says how. Takes all options of ndsim train; what "
        "is left out is chosen. Ends with exit code 1 where the step does not fit into memory, after the whole "
        "explanation.",
    .examples = {"ndsim explain", "ndsim explain 3d_pipeline_parallel --micro-batches 8",
                 "ndsim explain --model llama3-70b --hardware cluster --strategy hybrid",
                 "ndsim explain --which --model llama3-70b --gpus 64",
                 "ndsim explain --model llama3-8b --gpus 64 --tp 2 --level beginner"},
};

struct ExplainCommand {
    ExplainOptions options;
    Outputs outputs;
};

std::vector<config::OptionRow> option_rows(ExplainCommand& command) {
    std::vector<config::OptionRow> rows = explain_rows(command.options);
    const std::vector<config::OptionRow> outputs = output_rows(
        command.outputs, {.table = "every figure, in full", .timeline = "the step's timeline, for ui.perfetto.dev"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

// Those that ndsim train has, too.
config::Given given_to_train(const config::Given& given) {
    TrainOptions options;
    config::Given found;
    for (const config::OptionRow& row : train_rows(options)) {
        if (const auto value = given.find(row.name); value != given.end()) {
            found.insert(*value);
        }
    }
    return found;
}

void write(const Outputs& outputs, const explain::Explanation& explanation) {
    write_outputs(outputs, {.text = [&] { return text_of(explanation); },
                            .json = [&] { return json_of(explanation); },
                            .table = [&] { return table_of(explanation); }});
}

int answer(ExplainCommand& command) {
    if (wants_timeline(command.outputs)) {
        throw config::UsageError("--which compares many steps and has no timeline; leave out --which, or the file");
    }
    if (isatty(STDIN_FILENO) == 1) {
        ask_what_is_missing(command.options);
    }
    const Answered answered = answer_which(command.options);
    write(command.outputs, answered.explanation);
    return answered.fits ? done : complain(explain_command.name, "nothing fits into memory", failed);
}

}  // namespace

int run_explain(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-') {
        if (!is_scenario(argv[1])) {
            throw config::UsageError(fmt::format("there is no scenario {}{}", config::shortened(argv[1]),
                                                 did_you_mean(argv[1], known_scenarios())));
        }
        return run_explain_scenario(argc - 1, argv + 1);
    }
    ExplainCommand command;
    const std::vector<config::OptionRow> rows = option_rows(command);
    const auto settings = take_options(explain_command, rows, argc, argv);
    if (!settings) {
        return done;
    }
    check_outputs(command.outputs);
    command.options.given = given_to_train(given_of(*settings, rows));
    if (command.options.which) {
        return answer(command);
    }
    ExplainedTraining made = explained_training(command.options, wants_timeline(command.outputs));
    if (wants_timeline(command.outputs)) {
        made.timeline.explanation = json_of(made.explanation);
        write_timeline(command.outputs, made.timeline);
    }
    write(command.outputs, made.explanation);
    return made.misfit.empty() ? done : complain(explain_command.name, made.misfit, failed);
}

}  // namespace sim::tools
