// ndsim plan: which layout of a training is the fastest, or the cheapest, on so many GPUs; all legal ones are looked
// at.
// Exit code 1: no layout fits; the nearest ones are named.
#include "ranks/host/stop_signal.hpp"
#include "tools/answers/plan_report.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace search;

namespace {

const Executable plan_command{
    .name = "ndsim plan",
    .summary =
        "Which layout of a training is the fastest, or the cheapest: all legal ones are looked at, those that fit "
        "and may be good are simulated, and why the others are out is counted. Any axis can be a value or a list. "
        "Prints the flags with which Megatron-LM, torchtitan and nanotron run the best one.",
    .examples = {"ndsim plan --model llama3-70b --machine dgx-h100 --gpus 64 --global-batch 512",
                 "ndsim plan --model gpt3-175b --machine dgx-a100 --gpus 1024 --global-batch 1536 --tp 4,8 --zero 1",
                 "ndsim plan --model llama3-8b --gpus 16,32,64 --global-batch 256 --objective cost",
                 "ndsim plan --model mixtral-8x7b --gpus 64 --csv all.csv --svg map.svg --jobs 8"},
};

// A bar for each part of the search.
class Bars {
public:
    void at(std::size_t done, std::size_t all, const char* what) {
        if (!bar_ || all != all_ || what_ != what) {
            bar_ = std::make_unique<Progress>(all);
            all_ = all;
            what_ = what;
        }
        bar_->at(done, what);
    }

private:
    std::unique_ptr<Progress> bar_;
    std::size_t all_ = 0;
    std::string what_;
};

struct PlanCommand : PlanOptions {
    Outputs outputs;
};

std::vector<OptionRow> option_rows(PlanCommand& options) {
    std::vector<OptionRow> rows = plan_rows(options);
    const std::vector<OptionRow> outputs =
        output_rows(options.outputs, {.table = "all that were simulated",
                                      .picture = "the shortest step of each tp and pp, as colours",
                                      .plot = "the step of each that was simulated over its memory, as points"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

}  // namespace

int run_plan(int argc, const char* const* argv) {
    PlanCommand options;
    const std::vector<OptionRow> rows = option_rows(options);
    const auto settings = take_options(plan_command, rows, argc, argv);
    if (!settings) {
        return done;
    }
    check_outputs(options.outputs);
    const ranks::StopSignal stop;
    const auto search = [&] {
        Bars bars;
        return plan_report(options, {.on_progress = [&](std::size_t done, std::size_t all,
                                                        const char* what) { bars.at(done, all, what); },
                                     .should_stop = [&] { return stop.received() != 0; }});
    };
    PlanReport report = search();
    report.given = given_of(*settings, rows);
    write_outputs(options.outputs, {.text = [&] { return text_of(report); },
                                    .json = [&] { return json_of(report); },
                                    .table = [&] { return table_of(report); },
                                    .picture = [&] { return heatmap_svg(report); },
                                    .plot = [&] { return scatter_svg(report); }});
    if (stop.received() != 0) {
        return stopped + stop.received();
    }
    return report.plan.rows.empty() ? complain(plan_command.name, "no layout fits", failed) : done;
}

}  // namespace sim::tools
