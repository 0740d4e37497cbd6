#include "tools/ndsim/collective.hpp"

#include "libsim/config/byte_sizes.hpp"
#include "libsim/config/errors.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/ndsim/collective_check.hpp"
#include "tools/ndsim/collective_options.hpp"
#include "tools/ndsim/nccl_table.hpp"
#include "tools/ndsim/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::scenarios {

namespace {

const Executable executable{
    .name = "ndsim collective",
    .summary =
        "How long collectives take, by size: the table of nccl-tests, from the simulator. Size and bandwidths are "
        "as there: algbw is size / time, busbw is algbw times 2 (n-1)/n for an all-reduce, (n-1)/n for "
        "all-gather, reduce-scatter, all-to-all, gather and scatter, else 1. The size is that of the whole array "
        "on a rank: of the result, or of the input of a reduce-scatter, scatter or all-to-all.",
    .examples =
        {"ndsim collective all_reduce --ranks 1024 --topology dgx-h100 --sizes 1K:8G",
         "ndsim collective all-reduce --ranks 64 --algorithm all --plot bandwidth.svg   # side by side",
         "ndsim collective alltoall --ranks 256 --topology fat-tree --explain-cost      # how times were found",
         "ndsim collective broadcast --profile lab-pcie --sizes 1K:1M --check           # with real numbers, too"},
};

// What is printed while the rows come.
class Output {
public:
    Output(const CollectiveOptions& options, const Sweep& sweep)
        : options_(options), shape_{.picked = sweep.only_fastest, .checked = options.check} {
        if (is_table()) {
            std::vector<std::string> names;
            for (const Method& method : sweep.methods) {
                names.push_back(sweep.custom ? "custom" : text_of(method));
            }
            print(fmt::format("# {} on {} ranks, {}\n#\n", sweep.what.name(), sweep.what.ranks, sweep.cluster.name) +
                  table_head(shape_, names));
        }
    }

    void add(const SweepRow& row) const {
        const std::string why = options_.explain_cost ? explanation(row) : "";
        if (is_table()) {
            print(table_line(shape_, row) + why);
        } else if (!why.empty()) {
            fmt::print(stderr, "# {} bytes\n{}", row.what().bytes(), why);
        }
    }

    void finish(const Sweep& sweep, const std::vector<SweepRow>& rows) const {
        if (is_table()) {
            print(table_foot(rows));
        } else {
            print(options_.json ? sweep_json(sweep, rows) : sweep_csv(rows));
        }
        if (!options_.csv.empty() && options_.csv != "-") {
            write_output(options_.csv, [&](std::ostream& out) { out << sweep_csv(rows); });
        }
        const auto has_curve = [](const SweepRow& row) { return row.best().bus_bandwidth() > 0; };
        if (!options_.plot.empty() && std::any_of(rows.begin(), rows.end(), has_curve)) {
            write_output(options_.plot, [&](std::ostream& out) { out << sweep_svg(sweep, rows); });
        }
    }

private:
    bool is_table() const { return !options_.json && options_.csv != "-"; }

    const CollectiveOptions& options_;
    TableShape shape_;
};

void check_outputs(const CollectiveOptions& options) {
    for (const std::string& file : {options.csv, options.plot}) {
        if (!file.empty() && file != "-") {
            check_output(file);
        }
    }
}

// The text of a complaint where one method of the row was wrong.
std::string check_row(const Sweep& sweep, SweepRow& row) {
    for (TimedMethod& timed : row.timed) {
        if (std::string complaint = check_with_data(sweep, timed); !complaint.empty()) {
            return complaint;
        }
    }
    return "";
}

bool is_right(const SweepRow& row) {
    return std::all_of(row.timed.begin(), row.timed.end(),
                       [](const TimedMethod& timed) { return timed.wrong.value_or(0) == 0; });
}

int sweep_sizes(const CollectiveOptions& options, const Sweep& sweep) {
    const std::vector<CollectiveCase> cases = cases_of(options, sweep);
    check_outputs(options);
    const ranks::StopSignal stop;
    const Output output(options, sweep);
    std::vector<SweepRow> rows;
    Progress progress(cases.size());
    for (const CollectiveCase& what : cases) {
        progress.at(rows.size(), fmt::format("{} of {}", what.name(), size_text(what.bytes())));
        SweepRow row = time_of_size(sweep, what);
        const std::string complaint = options.check ? check_row(sweep, row) : "";
        progress.erase();
        if (stop.received() != 0) {
            break;
        }
        if (!complaint.empty()) {
            return complain(executable.name, complaint, failed);
        }
        output.add(row);
        rows.push_back(std::move(row));
    }
    output.finish(sweep, rows);
    if (stop.received() != 0) {
        return stopped + stop.received();
    }
    return std::all_of(rows.begin(), rows.end(), is_right)
               ? done
               : complain(executable.name, "some of the numbers are wrong", failed);
}

}  // namespace

int run_collective(int argc, const char* const* argv) {
    CollectiveOptions options;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    const Sweep sweep = sweep_of(options);
    return sweep_sizes(options, sweep);
}

}  // namespace sim::scenarios
