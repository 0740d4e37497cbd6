// `ndsim sweep` predicts every combination of option values of `ndsim train`, a row each, on all cores and machines.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/search/sweep/grid.hpp"
#include "libsim/search/sweep/table.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/sweep/over_machines.hpp"
#include "tools/ndsim/sweep/question.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace predict;
using namespace search;

namespace {

struct SweepCommand : SweepOptions {
    std::string out;
    bool shows_table = false;
    config::Given given;
    Outputs outputs;
};

std::vector<OptionRow> option_rows(const std::vector<OptionRow>& training, SweepCommand& options) {
    std::vector<OptionRow> rows = sweep_rows(training, options);
    const std::vector<OptionRow> own =
        in_group(GroupName::output,
                 {writing({"out", "FILE.csv", "write the rows to FILE.csv; rows that it already has are not recomputed",
                           file(options.out)}),
                  keeping_result({"table", "", "print the rows as a table, as on a terminal, instead of CSV",
                                  flag(options.shows_table)})});
    rows.insert(rows.end(), own.begin(), own.end());
    const std::vector<OptionRow> outputs = output_rows(options.outputs, sweep_offer());
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

// Returns nothing after printing --help or --version.
std::optional<SweepCommand> options_of(int argc, const char* const* argv, const SweepHosts& machines,
                                       std::vector<std::string>& order) {
    TrainingOptions unused;
    const std::vector<OptionRow> training = training_rows(unused);
    order = sweep_order(training);
    SweepCommand options;
    const std::vector<OptionRow> rows = option_rows(training, options);
    const auto read = read_settings(executable_of(sweep_command), rows, argc, argv);
    if (const auto* answer = std::get_if<command_line::Answer>(&read)) {
        if (machines.is_first()) {
            print(answer->text);
        }
        return std::nullopt;
    }
    set_options(std::get<Settings>(read), rows);
    options.given = given_of(std::get<Settings>(read), rows);
    options.shows_table = options.shows_table || isatty(STDOUT_FILENO) == 1;
    return options;
}

// Writes rows: to the file as they come, or to standard output in order.
class SweepRows {
public:
    SweepRows(SweepTable& table, const SweepCommand& options)
        : table_(table),
          prints_(options.out.empty() && shows_text(options.outputs) && !options.shows_table),
          file_name_(options.out) {
        if (!file_name_.empty()) {
            // Rewrites the file with whole rows only, so that appended rows begin a line.
            write_output(file_name_, [&](std::ostream& out) { out << table_.csv(); });
            file_.emplace(file_name_);
        } else if (prints_) {
            print(table_.header() + "\n");
        }
    }

    void add(std::size_t number, std::string row) {
        if (file_) {
            file_->add(row + '\n');
        }
        table_.add(number, std::move(row));
        while (prints_ && next_ < table_.grid().size() && table_.has(next_)) {
            print(table_.row_text(next_++) + "\n");
        }
    }

    void finish() {
        if (file_) {
            file_.reset();
            write_output(file_name_, [&](std::ostream& out) { out << table_.csv(); });
        }
    }

private:
    SweepTable& table_;
    bool prints_;
    std::string file_name_;
    std::optional<AppendedOutput> file_;
    std::size_t next_ = 0;
};

// A plot without points is not written.
void write_forms(const SweepCommand& options, const SweepTable& table, const std::function<std::string()>& notes) {
    const std::string plot = options.outputs.contains("plot") ? table.plot(options.plot) : "";
    write_outputs(options.outputs, {.text = notes,
                                    .json = [&] { return table.json(options.given); },
                                    .table = [&] { return table.rows(); },
                                    .plot = [&] { return plot; }});
    if (options.outputs.contains("plot") && plot.empty()) {
        tell(fmt::format("{} is not written: there is no row to plot\n", options.outputs.at("plot")));
    }
}

int sweep(const SweepCommand& options, SweepTable& table, const SweepHosts& machines) {
    const RowMaker make = sweep_row_maker(table);
    Workers workers(options.jobs > 0 ? options.jobs : machines.cores());
    Queue queue(machines.is_first() ? table.missing() : std::vector<std::size_t>{});
    if (!machines.is_first()) {
        machines.work_off(queue, workers, make, {});
        return done;
    }
    const ranks::StopSignal stop;
    const std::size_t all = table.grid().size();
    std::size_t there = all - table.missing().size();
    const std::size_t before = there;
    SweepRows rows(table, options);
    Progress progress(all);
    machines.work_off(queue, workers, make, [&](std::size_t number, std::string row) {
        progress.erase();
        rows.add(number, std::move(row));
        progress.at(++there, typed(table.grid().configuration(number)));
        return stop.received() == 0;
    });
    progress.erase();
    rows.finish();
    if (stop.received() != 0) {
        return stopped + stop.received();
    }
    write_forms(options, table, [&] {
        return options.out.empty()
                   ? (options.shows_table ? table.text() : "")  // otherwise the rows are printed already
                   : fmt::format("{}: {} rows, {} of them new\n", options.out, all, there - before);
    });
    return done;
}

int run_sweep(int argc, const char* const* argv) {
    const SweepHosts machines;
    std::optional<SweepTable> table;
    std::optional<SweepCommand> options;
    std::exception_ptr complaint;
    try {
        std::vector<std::string> order;
        options = options_of(argc, argv, machines, order);
        if (options) {
            table.emplace(sweep_grid(*options, order));
        }
        if (table && machines.is_first()) {
            check_outputs(options->outputs);
        }
        if (table && machines.is_first() && !options->out.empty()) {
            check_output(options->out);
            if (std::filesystem::exists(options->out)) {
                table->read(read_text(options->out, "a table of rows", written_by_programs), options->out);
            }
        }
    } catch (...) {
        complaint = std::current_exception();
    }
    // Only one process reports the error, and no process waits for one that has ended.
    const SweepHosts::Ready ready = machines.agree(!complaint);
    if (complaint && (machines.is_first() || ready.first)) {
        std::rethrow_exception(complaint);
    }
    if (!ready.all) {
        return done;  // mpirun ends all processes when one fails, so the process with the error must fail first
    }
    return table ? sweep(*options, *table, machines) : done;
}

}  // namespace

const Command sweep_command{
    .name = "sweep",
    .headline = "predict every combination of train's options, each a list or range: a row for each",
    .summary =
        "Predicts every combination of the options of ndsim train, each of which may have several values: a list "
        "(1,2,4) or a range (8:1024:x2, 8:64:+8). Prints one row for each combination, always in the same order: a "
        "table on a terminal, CSV in a file or a pipe. Uses all cores, and with mpirun several machines. A combination "
        "that does not fit or is not valid has a row that says so.",
    .examples =
        {"ndsim sweep --model llama3-8b --gpus 8:1024:x2 --tp 1,2,4 --global-batch 1024",
         "ndsim sweep --model gpt3-175b --gpus 1024 --tp 4,8 --pp 8,16 --out rows.csv   # resumes an interrupted sweep",
         "ndsim sweep --model llama3-8b --gpus 8:64:x2 --tp 1,2 --zero 1,3 --table --plot rows.svg --plot-y cost",
         "mpirun -n 8 ndsim sweep --model llama3-70b --gpus 512 --micro-batch 1,2,4 --out rows.csv"},
    .schemas = {sweep_schema, sweep_columns},
    .run = run_sweep};

}  // namespace sim::tools
