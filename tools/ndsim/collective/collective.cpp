// `ndsim collective` times collectives on any network by size and algorithm, as nccl-tests does on real GPUs.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/search/collective_sweep.hpp"
#include "tools/ndsim/collective/options.hpp"
#include "tools/ndsim/collective/report.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace config;

namespace {

constexpr std::int64_t most_bytes_with_data = std::int64_t{1} << 32U;

// The options of the command: those of the sweep, and how its result is checked and shown.
struct CollectiveCommand : CollectiveOptions {
    bool check = false;
    bool explain_cost = false;
};

std::vector<OptionRow> option_rows(CollectiveCommand& options) {
    std::vector<OptionRow> rows = collective_rows(options);
    rows.push_back({"check", "", "also run it message by message with real numbers, and check time and results",
                    flag(options.check)});
    rows.push_back({"explain-cost", "", "add # lines that tell how each time was computed, and why that is exact",
                    flag(options.explain_cost)});
    return rows;
}

void require_checkable(const CollectiveCommand& options, const search::CollectiveCase& what) {
    if (!options.check) {
        return;
    }
    if (options.type != "float") {
        throw UsageError("--check carries floats: leave out --type");
    }
    if (what.bytes() > most_bytes_with_data / what.ranks) {
        throw UsageError(fmt::format("--check holds {} on each of {} ranks; it goes up to {} in all",
                                     size_text(what.bytes()), what.ranks, size_text(most_bytes_with_data)));
    }
}

// The table of a sweep, printed row by row to a listener that takes text.
class Table {
public:
    Table(const CollectiveCommand& options, const search::Sweep& sweep, const Listener& listener)
        : listener_(listener), explains_(options.explain_cost), shape_(shape_of(sweep)) {
        shape_.checked = options.check;
        add(sweep_head(sweep, shape_));
    }

    void add(const search::SweepRow& row) {
        const std::string why = explains_ ? explanation(row) : "";
        add(table_line(shape_, row) + why);
        if (!listener_.text && listener_.note && !why.empty()) {
            listener_.note(fmt::format("# {} bytes\n{}", row.what().bytes(), why));
        }
    }
    void finish(const std::vector<search::SweepRow>& rows) { add(table_foot(shape_, rows)); }

    // The part that no listener has received.
    const std::string& text() const { return text_; }

private:
    void add(const std::string& text) {
        if (listener_.text) {
            listener_.text(text);
        } else {
            text_ += text;
        }
    }

    const Listener& listener_;
    bool explains_;
    TableShape shape_;
    std::string text_;
};

// Passes on the timeline of the row's fastest method, message by message.
void draw(const search::Sweep& sweep, const search::SweepRow& row, const Listener& listener) {
    const report::Timeline timeline = message_timeline(sweep, row.best());
    if (timeline.end != row.best().end() && listener.note) {
        listener.note(fmt::format("ndsim collective: note: message by message it takes {} s instead of {} s\n",
                                  sim::seconds(timeline.end), row.best().seconds()));
    }
    listener.timeline(timeline);
}

// The error text of the first method of the row that fails its check; empty if none does.
std::string check_row(const search::Sweep& sweep, search::SweepRow& row) {
    for (search::TimedMethod& timed : row.timed) {
        std::string complaint = timed.on_wires() != nullptr ? check_with_data(sweep, timed) : "";
        if (!complaint.empty()) {
            return complaint;
        }
    }
    return "";
}

bool is_right(const search::SweepRow& row) {
    return std::all_of(row.timed.begin(), row.timed.end(),
                       [](const search::TimedMethod& timed) { return timed.wrong.value_or(0) == 0; });
}

// NCCL's model has no messages to execute or draw.
void require_messages(const CollectiveCommand& options, const search::Sweep& sweep, bool wants_timeline) {
    if (!sweep.wires && (options.check || wants_timeline)) {
        throw UsageError(fmt::format(
            "{} of messages, which NCCL's model does not have; --timing wire has them, --timing both beside it",
            options.check ? "--check is" : "--timeline, --trace and --report are"));
    }
}

Answer collective_answer(CollectiveCommand& options, const Asked& asked) {
    const search::Sweep sweep = sweep_of(options);
    const Listener& listener = asked.listener;
    require_messages(options, sweep, listener.timeline != nullptr);
    const std::vector<search::CollectiveCase> cases = cases_of(options, sweep);
    for (const search::CollectiveCase& what : cases) {
        require_checkable(options, what);
    }
    Table table(options, sweep, listener);
    std::vector<search::SweepRow> rows;
    for (const search::CollectiveCase& what : cases) {
        if (listener.progress) {
            listener.progress(rows.size(), cases.size(), fmt::format("{} of {}", what.name(), size_text(what.bytes())));
        }
        search::SweepRow row = search::time_of_size(sweep, what);
        const std::string complaint = options.check ? check_row(sweep, row) : "";
        if (asked.is_stopped()) {
            break;
        }
        if (!complaint.empty()) {
            return {.complaint = complaint, .exit_code = failed};
        }
        table.add(row);
        rows.push_back(std::move(row));
    }
    table.finish(rows);
    if (listener.timeline && !rows.empty()) {
        draw(sweep, rows.back(), listener);
    }
    const bool all_right = std::all_of(rows.begin(), rows.end(), is_right);
    return {.forms = {.text = [text = table.text()] { return text; },
                      .json = [=] { return sweep_json(sweep, rows); },
                      .table = [=] { return sweep_rows(sweep, rows); },
                      .picture = [=] { return sweep_svg(sweep, rows); }},
            .complaint = all_right ? "" : "some of the numbers are wrong",
            .exit_code = all_right ? done : failed};
}

Question collective_question() {
    const auto options = std::make_shared<CollectiveCommand>();
    return {.rows = option_rows(*options),
            .offer = {.json = "print one JSON object instead of the table",
                      .table = "write a row for each size and algorithm as CSV",
                      .picture = "plot bus bandwidth over size, a curve for each algorithm; also --plot",
                      .timeline = "write the timeline of the last size by its fastest algorithm, run once more message "
                                  "by message; for ui.perfetto.dev"},
            .answer = [options](const Asked& asked) { return collective_answer(*options, asked); },
            .stops_early = true};
}

}  // namespace

const Command collective_command{
    .name = "collective",
    .headline = "time collectives by size and algorithm, as a table like nccl-tests'",
    .summary =
        "Times collectives by size and prints the table of nccl-tests, from the simulator. On a topology the times are "
        "wire times, without NCCL's overheads; on a --machine they come from NCCL's model, as in ndsim train. Size and "
        "bandwidths are defined as in nccl-tests: algbw is size / time, busbw is algbw times 2 (n-1)/n for an "
        "all-reduce, (n-1)/n for all-gather, reduce-scatter, all-to-all, gather and scatter, else 1. The size is that "
        "of the whole array on a rank: of the result, or of the input of a reduce-scatter, scatter or all-to-all.",
    .examples =
        {"ndsim collective all_gather --machine dgx-h100 --sizes 1K,128M                # with NCCL's overheads",
         "ndsim collective all_reduce --ranks 1024 --topology dgx-h100 --sizes 1K:8G",
         "ndsim collective all-reduce --ranks 64 --algorithm all --plot bandwidth.svg   # side by side",
         "ndsim collective alltoall --ranks 256 --topology fat-tree --explain-cost      # how times are computed",
         "ndsim collective broadcast --profile lab-pcie --sizes 1K:1M --check           # with real numbers, too",
         "ndsim collective all-reduce --sizes 1M --algorithm ring --report ring.html    # each message, in a browser"},
    .schemas = {search::collective_schema, search::collective_columns},
    .question = collective_question};

}  // namespace sim::tools
