#include "tools/ndsim/compare/step_table.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace report;
using namespace report::keys;

namespace {

double part_of_run(const ComparedRun& run, TimePart part) {
    return run.parts()[static_cast<std::size_t>(part)];
}

template <TimePart part>
double seconds_of(const ComparedRun& run) {
    return part_of_run(run, part);
}

}  // namespace

std::string text_of_steps(const std::vector<ComparedRun>& runs) {
    TextTable table{.columns = {{"result", Align::left},
                                {"step"},
                                {"of the first"},
                                {"compute"},
                                {"exposed comm"},
                                {"bubble"},
                                {"rest"},
                                {"TFLOP/s per GPU"},
                                {"memory"}}};
    for (const ComparedRun& run : runs) {
        TextRow row{{run.file, time_text(run.seconds), percent_text(run.seconds / runs.front().seconds)}};
        for (const TimePart part : {TimePart::compute, TimePart::communication, TimePart::bubble, TimePart::rest}) {
            row.cells.push_back(percent_text(part_of_run(run, part) / run.seconds));
        }
        row.cells.push_back(run.flops_per_second ? teraflops_text(*run.flops_per_second) : "-");
        row.cells.push_back(run.peak_bytes ? bytes_text(static_cast<double>(*run.peak_bytes)) : "-");
        table.rows.push_back(std::move(row));
    }
    return text_of(table) +
           "\ncompute, exposed comm(unication), bubble, rest: shares of the step, mean over the ranks. memory: of the "
           "fullest GPU.\n";
}

const report::Record<ComparedRun>& step_row_record() {
    using Run = ComparedRun;
    static const report::Record<Run> record(
        "One of several predicted steps.",
        {free_text<Run>("file", "File that the result was read from.", &Run::file),
         free_text<Run>("name", "The model and the machine.", &Run::name),
         number<Run>("step_seconds", "Seconds of the step.", &Run::seconds),
         number<Run>("compute_seconds", "Seconds of compute, the mean over the ranks.", seconds_of<TimePart::compute>),
         number<Run>("communication_seconds", "Seconds of communication that no computation hides, the mean.",
                     seconds_of<TimePart::communication>),
         number<Run>("bubble_seconds", "Seconds of the pipeline's bubble, the mean.", seconds_of<TimePart::bubble>),
         number<Run>("rest_seconds", "Seconds of the optimizer, overhead and stragglers, the mean.",
                     seconds_of<TimePart::rest>),
         number<Run>("model_flops_per_second_per_gpu", "FLOPs of the model per second and GPU; 0: not in the result.",
                     [](const Run& run) { return run.flops_per_second.value_or(0); }),
         whole<Run>("peak_memory_bytes", "Bytes that the fullest GPU holds at its peak; 0: not in the result.",
                    [](const Run& run) { return run.peak_bytes.value_or(0); })});
    return record;
}

}  // namespace sim::tools
