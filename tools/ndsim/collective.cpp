// ndsim collective: how long collectives take on any network, by size and algorithm; what nccl-tests is to real GPUs.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/byte_sizes.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/search/collective_report.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tools/answers/collective_machine.hpp"
#include "tools/answers/collective_options.hpp"
#include "tools/answers/nccl_table.hpp"
#include "tools/answers/sweep_report.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/collective_check.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

const Executable collective_command{
    .name = "ndsim collective",
    .summary =
        "How long collectives take, by size: the table of nccl-tests, from the simulator. On a topology that is wire "
        "time, without NCCL's overheads; on a --machine it is NCCL's model, as in ndsim train. Size and bandwidths are "
        "as there: algbw is size / time, busbw is algbw times 2 (n-1)/n for an all-reduce, (n-1)/n for "
        "all-gather, reduce-scatter, all-to-all, gather and scatter, else 1. The size is that of the whole array "
        "on a rank: of the result, or of the input of a reduce-scatter, scatter or all-to-all.",
    .examples =
        {"ndsim collective all_gather --machine dgx-h100 --sizes 1K,128M                # with NCCL's overheads",
         "ndsim collective all_reduce --ranks 1024 --topology dgx-h100 --sizes 1K:8G",
         "ndsim collective all-reduce --ranks 64 --algorithm all --plot bandwidth.svg   # side by side",
         "ndsim collective alltoall --ranks 256 --topology fat-tree --explain-cost      # how times were found",
         "ndsim collective broadcast --profile lab-pcie --sizes 1K:1M --check           # with real numbers, too",
         "ndsim collective all-reduce --sizes 1M --algorithm ring --report ring.html    # each message, in a browser"},
};

constexpr std::int64_t most_bytes_with_data = std::int64_t{1} << 32U;

// What was typed: the question, and how its answer is checked and shown.
struct CollectiveCommand : CollectiveOptions {
    bool check = false;
    bool explain_cost = false;
    Outputs outputs;
};

std::vector<OptionRow> option_rows(CollectiveCommand& options) {
    std::vector<OptionRow> rows = collective_rows(options);
    rows.push_back(
        {"check", "", "carry it out message by message with numbers too: as long, and right?", flag(options.check)});
    rows.push_back(
        {"explain-cost", "", "how each time was found, and why that is exact, as # lines", flag(options.explain_cost)});
    const std::vector<OptionRow> outputs =
        output_rows(options.outputs,
                    {.json = "print one JSON object instead of the table",
                     .table = "one line for each size and algorithm",
                     .picture = "bus bandwidth over size, a curve for each algorithm; also --plot",
                     .timeline = "the timeline of the last size by its fastest algorithm, which is carried out once "
                                 "more, message by message; for ui.perfetto.dev"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
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

// What is printed while the rows come.
class Output {
public:
    Output(const CollectiveCommand& options, const search::Sweep& sweep) : options_(options), shape_(shape_of(sweep)) {
        shape_.checked = options.check;
        if (is_table()) {
            print(sweep_head(sweep, shape_));
        }
    }

    void add(const search::SweepRow& row) const {
        const std::string why = options_.explain_cost ? explanation(row) : "";
        if (is_table()) {
            print(table_line(shape_, row) + why);
        } else if (!why.empty()) {
            tell(fmt::format("# {} bytes\n{}", row.what().bytes(), why));
        }
    }

    void finish(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows) const {
        write_outputs(options_.outputs, {.text = [&] { return table_foot(shape_, rows); },
                                         .json = [&] { return sweep_json(sweep, rows); },
                                         .table = [&] { return sweep_rows(sweep, rows); },
                                         .picture = [&] { return sweep_svg(sweep, rows); }});
    }

    // Of the last row's fastest method, below the table.
    void draw(const search::Sweep& sweep, const search::SweepRow& row) const {
        const report::Timeline timeline = message_timeline(sweep, row.best());
        if (timeline.end != row.best().end()) {
            tell(fmt::format("{}: note: message by message it takes {} s in place of {} s\n", collective_command.name,
                             sim::seconds(timeline.end), row.best().seconds()));
        }
        if (is_table() && options_.outputs.contains("timeline")) {
            print("\n");
        }
        write_timeline(options_.outputs, timeline);
    }

private:
    bool is_table() const { return shows_text(options_.outputs); }

    const CollectiveCommand& options_;
    TableShape shape_;
};

// The text of a complaint where one method of the row was wrong.
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

// NCCL's model has no messages to carry out, or to draw.
void require_messages(const CollectiveCommand& options, const search::Sweep& sweep) {
    const bool wants_timeline = command_line::wants_timeline(options.outputs);
    if (!sweep.wires && (options.check || wants_timeline)) {
        throw UsageError(fmt::format(
            "{} of messages, which NCCL's model does not have; --timing wire has them, --timing both beside it",
            options.check ? "--check is" : "--timeline, --trace and --report are"));
    }
}

int sweep_sizes(const CollectiveCommand& options, const search::Sweep& sweep) {
    require_messages(options, sweep);
    const std::vector<search::CollectiveCase> cases = cases_of(options, sweep);
    for (const search::CollectiveCase& what : cases) {
        require_checkable(options, what);
    }
    check_outputs(options.outputs);
    const ranks::StopSignal stop;
    const Output output(options, sweep);
    std::vector<search::SweepRow> rows;
    Progress progress(cases.size());
    for (const search::CollectiveCase& what : cases) {
        progress.at(rows.size(), fmt::format("{} of {}", what.name(), size_text(what.bytes())));
        search::SweepRow row = search::time_of_size(sweep, what);
        const std::string complaint = options.check ? check_row(sweep, row) : "";
        progress.erase();
        if (stop.received() != 0) {
            break;
        }
        if (!complaint.empty()) {
            return complain(collective_command.name, complaint, failed);
        }
        output.add(row);
        rows.push_back(std::move(row));
    }
    output.finish(sweep, rows);
    if (command_line::wants_timeline(options.outputs) && !rows.empty()) {
        output.draw(sweep, rows.back());
    }
    if (stop.received() != 0) {
        return stopped + stop.received();
    }
    return std::all_of(rows.begin(), rows.end(), is_right)
               ? done
               : complain(collective_command.name, "some of the numbers are wrong", failed);
}

}  // namespace

int run_collective(int argc, const char* const* argv) {
    CollectiveCommand options;
    if (!take_options(collective_command, option_rows(options), argc, argv)) {
        return done;
    }
    const search::Sweep sweep = sweep_of(options);
    return sweep_sizes(options, sweep);
}

}  // namespace sim::tools
