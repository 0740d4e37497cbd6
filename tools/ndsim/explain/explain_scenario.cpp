#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/ndsim/explain/options.hpp"
#include "tools/ndsim/explain/run.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace command_line;

namespace {

const Executable explain_run_command{
    .name = "ndsim explain",
    .summary =
        "Explains the run of a scenario. The scenario runs as real processes, then with one of them killed, then "
        "several times with one option changed. --fault kills another rank, or slows down the run itself. All other "
        "options are the scenario's.",
    .examples = {"ndsim explain 1d_data_parallel", "ndsim explain 3d_pipeline_parallel --micro-batches 8",
                 "ndsim explain 4d_hybrid --fault 'kill rank 2 at 3s'",
                 "ndsim explain 1d_data_parallel --fault 'slow rank 2 x2'"},
};

Answer scenario_answer(const RunQuestion& question, const Asked& asked) {
    ExplainedScenario explained = explained_scenario(question);
    if (explained.exit_code != 0) {
        tell(explained.said);
        return {.exit_code = explained.exit_code};
    }
    if (asked.listener.timeline) {
        explained.timeline.explanation = json_of(explained.explanation);
        asked.listener.timeline(explained.timeline);
    }
    return forms_of(std::move(explained.explanation));
}

Question question_of(RunQuestion& run) {
    std::vector<config::OptionRow> rows{level_row(run.level), config::fault_row(run.faults)};
    const std::vector<config::OptionRow> settings = explain::setting_rows(run.settings);
    rows.insert(rows.end(), settings.begin(), settings.end());
    return {.rows = std::move(rows),
            .offer = {.table = "write every figure in full precision as CSV",
                      .timeline = "write the run's timeline, for ui.perfetto.dev"},
            .answer = [&run](const Asked& asked) { return scenario_answer(run, asked); }};
}

// Returns "micro-batches" for "--micro-batches=8"; empty if the word is not an option.
std::string option_name(const std::string& word) {
    return word.starts_with("--") ? word.substr(2, word.find('=') - 2) : "";
}

// Refuses options that only show a run, or that start several runs: an explanation cannot use them.
void check_passed_on(const std::string& scenario, const std::string& name) {
    RunOptions options;
    std::vector<config::OptionRow> shown;
    add_output_rows(options, shown);
    add_clock_rows(options, shown);
    if (config::find_row(shown, name) != nullptr || name == "scaling" || name == "show-schedule") {
        throw config::UsageError(
            fmt::format("--{} is not an option of ndsim explain: give it to {} itself", name, scenario));
    }
}

// Returns the command's name and the words of the explanation's own options; passes the others on to the scenario.
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
    RunQuestion run{.scenario = argv[0]};
    const Question question = question_of(run);
    Outputs unused;
    std::vector<config::OptionRow> rows = question.rows;
    const std::vector<config::OptionRow> formats = output_rows(unused, question.offer);
    rows.insert(rows.end(), formats.begin(), formats.end());
    const std::vector<const char*> own = take_own(rows, argc, argv, run);
    return run_question(explain_run_command, question, static_cast<int>(own.size()), own.data());
}

}  // namespace sim::tools
