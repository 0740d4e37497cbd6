// ndsim goodput: weeks of training with failures, checkpoints and restarts, in milliseconds: how much of it is
// effective.
#include "tools/answers/goodput_options.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/commands.hpp"

namespace sim::tools {

using namespace command_line;

namespace {

const Executable goodput_command{
    .name = "ndsim goodput",
    .summary =
        "How much of weeks of training is effective, with failures, checkpoints, restarts and spare nodes: a thousand "
        "runs are simulated, each with failures of its own. Says what becomes of the rest, which checkpoint interval "
        "is best, what another policy would give, and what each number is worth. --study compares with what was "
        "published of a run.",
    .examples = {"ndsim goodput --study llama3-405b",
                 "ndsim goodput --model llama3-70b --gpus 1024 --tp 8 --pp 4 --tokens 15e12",
                 "ndsim goodput --gpus 8192 --step-seconds 5 --days 60 --repair-hours 24 --spares 8 --policy elastic "
                 "--replicas 64",
                 "ndsim goodput --gpus 1024 --step-seconds 8 --node-mtbf-hours 3700 --svg goodput.svg"},
};

struct GoodputCommand : GoodputOptions {
    Outputs outputs;
};

std::vector<config::OptionRow> option_rows(GoodputCommand& options) {
    std::vector<config::OptionRow> rows = goodput_rows(options);
    const std::vector<config::OptionRow> outputs =
        output_rows(options.outputs, {.table = "every run", .picture = "a run over time, with its interruptions"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

}  // namespace

int run_goodput(int argc, const char* const* argv) {
    GoodputCommand options;
    const std::vector<config::OptionRow> rows = option_rows(options);
    const auto settings = take_options(goodput_command, rows, argc, argv);
    if (!settings) {
        return done;
    }
    check_outputs(options.outputs);
    take_study(options, rows, [&](const std::string& name) { return settings->count(name) > 0; });
    Workers workers(options.jobs);
    goodput::GoodputReport report = goodput::goodput_report(question_of(options), workers.executor());
    report.given = given_of(*settings, rows);
    write_outputs(options.outputs, {.text = [&] { return text_of(report); },
                                    .json = [&] { return json_of(report); },
                                    .table = [&] { return table_of(report); },
                                    .picture = [&] { return picture_of(report); }});
    return done;
}

}  // namespace sim::tools
