// `ndsim trace summary|diff|convert` evaluates and converts traces of ndsim and of the PyTorch profiler.
#include "libsim/config/errors.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/trace_output.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/trace/report.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

enum class TraceAction { summary, diff, convert };

struct TraceOptions {
    TraceAction action = TraceAction::summary;
    std::string file;
    std::string other;
    std::string to;
};

std::vector<OptionRow> trace_rows(TraceOptions& options) {
    OptionRow to = writing({"to", "FILE", "convert: the trace to write, also as -o FILE; " + report::trace_suffixes(),
                            config::file(options.to)});
    to.also = {"o"};
    return {as_argument(
                {"ACTION", "", "summary, diff or convert", enumerator(options.action, {"summary", "diff", "convert"})}),
            as_argument({"FILE", "", "a trace, or a folder with one trace for each rank", config::file(options.file)}),
            as_argument({"OTHER", "", "diff: the trace to compare with it", config::file(options.other)},
                        Role::optional_argument),
            to};
}

void check_trace_options(const TraceOptions& options, const Asked& asked) {
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
    if (convert && !asked.forms.empty()) {
        throw UsageError(
            fmt::format("convert writes one trace; --{} is an option of summary and diff", asked.forms.front()));
    }
}

// The answer with a summary or a difference, in all its forms.
template <typename Report>
Answer answer_of(Report made) {
    const auto report = std::make_shared<const Report>(std::move(made));
    return {.forms = {.text = [report] { return text_of(*report); },
                      .json = [report] { return json_of(*report); },
                      .table = [report] { return table_of(*report); }}};
}

Answer difference_answer(const TraceOptions& options) {
    const auto side = [](const std::string& file) {
        TraceSummary summary = summary_of(file);
        return trace_files::diff_side(file, std::move(summary.shares), summary.trace.steps);
    };
    return answer_of(trace_files::difference_of(side(options.file), side(options.other)));
}

Answer trace_answer(const TraceOptions& options, const Asked& asked) {
    check_trace_options(options, asked);
    switch (options.action) {
        case TraceAction::summary: return answer_of(summary_of(options.file));
        case TraceAction::diff: return difference_answer(options);
        case TraceAction::convert: break;
    }
    check_trace(options.to);
    write_trace(options.to, trace_files::read_trace(options.file).timeline);
    return {};
}

Question trace_question() {
    const auto options = std::make_shared<TraceOptions>();
    return {.rows = trace_rows(*options),
            .offer = {.table = "write a row for each rank, or for each difference, as CSV"},
            .answer = [options](const Asked& asked) { return trace_answer(*options, asked); }};
}

}  // namespace

const Command trace_command{
    .name = "trace",
    .headline = "summarise, compare and convert traces of ndsim and of the PyTorch profiler",
    .summary =
        "summary: where the time of a trace went, by rank and label. diff: how two traces differ, and why. convert: a "
        "trace in another format. Reads what --trace writes as .json, .csv, .ndjson or a folder, and traces of the "
        "PyTorch profiler (Kineto), also compressed (.gz): a file, or a folder with one file for each rank.",
    .examples = {"ndsim trace summary step.json", "ndsim trace summary profile/ --csv ranks.csv",
                 "ndsim trace diff profile/ step.json     # a real run beside its prediction",
                 "ndsim trace convert step.json --to step.pftrace"},
    .schemas = {trace_summary_schema, trace_diff_schema, trace_columns},
    .question = trace_question};

}  // namespace sim::tools
