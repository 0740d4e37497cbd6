// ndsim trace summary|diff|convert: what traces say, ours and those of the PyTorch profiler.
#include "libsim/config/errors.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/trace_output.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/trace_report.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

const Executable trace_command{
    .name = "ndsim trace",
    .summary =
        "summary: where the time of a trace went, by rank and label. diff: how two traces differ, and why. convert: a "
        "trace in another format. Reads what --trace writes as .json, .csv, .ndjson or a folder, and traces of the "
        "PyTorch profiler (Kineto), also compressed (.gz): a file, or a folder with one of each rank.",
    .examples = {"ndsim trace summary step.json", "ndsim trace summary profile/ --csv ranks.csv",
                 "ndsim trace diff profile/ step.json     # a real run beside its prediction",
                 "ndsim trace convert step.json --to step.pftrace"},
};

enum class TraceAction { summary, diff, convert };

struct TraceOptions {
    TraceAction action = TraceAction::summary;
    std::string file;
    std::string other;
    std::string to;
    Outputs outputs;
};

std::vector<OptionRow> trace_rows(TraceOptions& options) {
    OptionRow to = writing({"to", "FILE", "convert: the trace to write, also -o FILE; " + report::trace_suffixes(),
                            config::file(options.to)});
    to.also = {"o"};
    std::vector<OptionRow> rows{
        as_argument(
            {"ACTION", "", "summary, diff or convert", enumerator(options.action, {"summary", "diff", "convert"})}),
        as_argument({"FILE", "", "a trace, or a folder with one of each rank", config::file(options.file)}),
        as_argument({"OTHER", "", "diff: the trace that it is compared with", config::file(options.other)},
                    Role::optional_argument),
        to};
    const std::vector<OptionRow> outputs =
        output_rows(options.outputs, {.table = "a row for each rank, or for each difference"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

void check_trace_options(const TraceOptions& options) {
    const bool diff = options.action == TraceAction::diff;
    const bool convert = options.action == TraceAction::convert;
    if (diff == options.other.empty()) {
        throw UsageError(diff ? "diff compares two traces: ndsim trace diff FILE OTHER"
                              : fmt::format("unexpected argument \"{}\"; only diff reads two traces{}",
                                            shortened(options.other), convert ? "; convert writes to --to FILE" : ""));
    }
    if (convert == options.to.empty()) {
        throw UsageError(convert ? "convert needs --to FILE" : "--to FILE is an option of convert");
    }
    if (convert && !options.outputs.empty()) {
        throw UsageError(fmt::format("convert writes one trace; --{} is an option of summary and diff",
                                     options.outputs.begin()->first));
    }
}

void show_summary(const TraceOptions& options) {
    const TraceSummary summary = summary_of(options.file);
    write_outputs(options.outputs, {.text = [&] { return text_of(summary); },
                                    .json = [&] { return json_of(summary); },
                                    .table = [&] { return table_of(summary); }});
}

void show_difference(const TraceOptions& options) {
    const auto side = [](const std::string& file) {
        TraceSummary summary = summary_of(file);
        return trace_files::diff_side(file, std::move(summary.shares), summary.trace.steps);
    };
    const trace_files::TraceDifference difference = trace_files::difference_of(side(options.file), side(options.other));
    write_outputs(options.outputs, {.text = [&] { return text_of(difference); },
                                    .json = [&] { return json_of(difference); },
                                    .table = [&] { return table_of(difference); }});
}

}  // namespace

int run_trace(int argc, const char* const* argv) {
    TraceOptions options;
    if (!take_options(trace_command, trace_rows(options), argc, argv)) {
        return done;
    }
    check_trace_options(options);
    check_outputs(options.outputs);
    switch (options.action) {
        case TraceAction::summary: show_summary(options); break;
        case TraceAction::diff: show_difference(options); break;
        case TraceAction::convert:
            check_trace(options.to);
            write_trace(options.to, trace_files::read_trace(options.file).timeline);
            break;
    }
    return done;
}

}  // namespace sim::tools
