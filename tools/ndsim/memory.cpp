// ndsim memory: what a GPU's memory holds in a training step, and whether that fits.
#include "libsim/explain/train/sections.hpp"
#include "tools/answers/memory_answer.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace explain;

namespace {

const Executable memory_command{
    .name = "ndsim memory",
    .summary =
        "What a GPU's memory holds in a training step: parameters, gradients, optimizer states, activations, by "
        "pipeline stage and over time. Ends with exit code 1 where it does not fit, after the whole report.",
    .examples = {"ndsim memory --model gpt3-175b --machine dgx-a100 --gpus 1024 --tp 8 --pp 16",
                 "ndsim memory --model llama3-8b --gpus 8 --zero 3 --recompute full",
                 "ndsim memory --model llama3-70b --gpus 64 --tp 8 --pp 4 --csv memory.csv   # every stage over time",
                 "ndsim memory --model llama3-70b --gpus 64 --tp 8 --pp 4 --plot memory.svg  # the same as a picture"},
};

struct MemoryCommand : MemoryOptions {
    Outputs outputs;
};

std::vector<OptionRow> option_rows(MemoryCommand& options) {
    std::vector<OptionRow> rows = memory_rows(options);
    const std::vector<OptionRow> outputs =
        output_rows(options.outputs, {.table = "every stage over time",
                                      .picture = "the parts of each stage's memory, and of one stage "
                                                 "over time; also --plot"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

}  // namespace

int run_memory(int argc, const char* const* argv) {
    MemoryCommand options;
    if (!take_options(memory_command, option_rows(options), argc, argv)) {
        return done;
    }
    check_outputs(options.outputs);
    const MemoryReport report = memory_report(options);
    write_outputs(options.outputs, {.text = [&] { return text_of(report); },
                                    .json = [&] { return json_of(report); },
                                    .table = [&] { return memory_over_stages(report.what); },
                                    .picture = [&] { return memory_svg(report); }});
    return report.memory.fits() ? done : complain(memory_command.name, misfit_line(report.memory, {}), failed);
}

}  // namespace sim::tools
