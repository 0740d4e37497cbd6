#include "tools/ndsim/commands.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/fault_option.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/explain/explain_options.hpp"
#include "tools/explain/explained_run.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace command_line;

namespace {

const Executable explain_run_command{
    .name = "ndsim explain",
    .summary =
        "Explains the run of a scenario: it is run as real processes, then with one of them killed, and with one thing "
        "changed each: --fault kills another one, or makes the run itself slower. All other options are the "
        "scenario's.",
    .examples = {"ndsim explain 1d_data_parallel", "ndsim explain 3d_pipeline_parallel --micro-batches 8",
                 "ndsim explain 4d_hybrid --fault 'kill rank 2 at 3s'",
                 "ndsim explain 1d_data_parallel --fault 'slow rank 2 x2'"},
};

struct ExplainRunCommand {
    RunQuestion question;
    Outputs outputs;
};

std::vector<config::OptionRow> own_rows(ExplainRunCommand& command) {
    std::vector<config::OptionRow> rows{level_row(command.question.level), config::fault_row(command.question.faults)};
    for (const auto& more : {explain::setting_rows(command.question.settings),
                             output_rows(command.outputs, {.table = "every figure, in full",
                                                          .timeline = "the run's timeline, for ui.perfetto.dev"})}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

// "micro-batches" of "--micro-batches=8"; empty: no option.
std::string option_name(const std::string& word) {
    return word.starts_with("--") ? word.substr(2, word.find('=') - 2) : "";
}

// What shows a run to its user, or makes several of it, is none of an explanation.
void check_passed_on(const std::string& scenario, const std::string& name) {
    RunOptions options;
    std::vector<config::OptionRow> shown;
    add_output_rows(options, shown);
    add_clock_rows(options, shown);
    if (config::find_row(shown, name) != nullptr || name == "scaling" || name == "show-schedule") {
        throw config::UsageError(
            fmt::format("--{} is none of ndsim explain: type it as an option of {} itself", name, scenario));
    }
}

// The words of an explanation's own options, behind the command's name; the others are the scenario's.
std::vector<const char*> take_own(const std::vector<config::OptionRow>& rows, int argc, const char* const* argv,
                                  RunQuestion& question) {
    std::vector<const char*> own{explain_run_command.name.c_str()};
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string name = option_name(word);
        const config::OptionRow* const row = name.empty() ? nullptr : config::find_row(rows, name);
        const bool asks = word == "-h" || name == "help" || name == "version";
        if (row == nullptr && !asks) {
            check_passed_on(question.scenario, name);
            question.arguments.push_back(word);
            continue;
        }
        own.push_back(argv[i]);
        const bool is_flag = row != nullptr && std::holds_alternative<config::Flag>(row->kind);
        if (!is_flag && word.find('=') == std::string::npos && i + 1 < argc) {
            own.push_back(argv[++i]);
        }
    }
    return own;
}

}  // namespace

int run_explain_scenario(int argc, const char* const* argv) {
    ExplainRunCommand command;
    command.question.scenario = argv[0];
    const std::vector<config::OptionRow> rows = own_rows(command);
    const std::vector<const char*> own = take_own(rows, argc, argv, command.question);
    if (!take_options(explain_run_command, rows, static_cast<int>(own.size()), own.data())) {
        return done;
    }
    check_outputs(command.outputs);
    ExplainedScenario explained = explained_scenario(command.question);
    if (explained.exit_code != 0) {
        tell(explained.said);
        return explained.exit_code;
    }
    if (wants_timeline(command.outputs)) {
        explained.timeline.explanation = json_of(explained.explanation);
        write_timeline(command.outputs, explained.timeline);
    }
    write_outputs(command.outputs, {.text = [&] { return text_of(explained.explanation); },
                                    .json = [&] { return json_of(explained.explanation); },
                                    .table = [&] { return table_of(explained.explanation); }});
    return done;
}

}  // namespace sim::tools
