// ndsim_calibrate: fits the numbers of an accelerator generation's data file to published runs. For developers.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/nearest.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/split.hpp"
#include "tools/calibrate/calibration.hpp"
#include "tools/calibrate/leave_one_out.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using namespace sim::predict;
using namespace sim::fit;
using namespace sim::tools;

struct Options {
    std::string file;
    std::string generation = "ampere";
    std::string fields;
    std::string sets;
    std::string efficiency;
    std::string leave_one_out;
    int passes = 20;
    int jobs = 0;
    double step = 0.1;
};

const command_line::Executable executable{
    .name = "ndsim_calibrate",
    .summary = "Fits the achieved shares of a GPU generation's peaks, and prints them as lines of its data file.",
    .examples = {"ndsim_calibrate docs/data/published_runs.json --generation ampere --fields gemm_peak,gemm_half_flops "
                 "--sets KORTH-T5,MOSAIC-A100-80"},
};

std::vector<config::OptionRow> option_rows(Options& options) {
    return {
        config::as_argument({"FILE", "", "records of runs, in JSON (docs/data/README.md)", config::text(options.file)}),
        {"generation", "NAME", "GPU generation to calibrate", config::text(options.generation)},
        {"fields", "NAMES", "numbers to fit, separated by commas", config::text(options.fields)},
        {"sets", "NAMES", "sets of runs to fit to, separated by commas (all of the generation)",
         config::text(options.sets)},
        {"efficiency", "CHANGES", "numbers to start from: KEY=VALUE or GENERATION.KEY=VALUE, separated by commas",
         config::text(options.efficiency)},
        config::writing({"leave-one-out", "FILE",
                         "leave out each set in turn, and write the prediction errors of its runs as CSV",
                         config::file(options.leave_one_out)}),
        {"passes", "N", "maximum number of passes over the numbers", whole(options.passes, 1, 10'000)},
        {"step", "X", "initial step, relative to each number", config::real(options.step, 1e-6, 1)},
        command_line::jobs_row(options.jobs),
    };
}

std::vector<sim::training::EfficiencyField> fields_named(const std::string& names) {
    std::vector<std::string> known;
    for (const sim::training::EfficiencyField& field : sim::training::efficiency_fields()) {
        known.emplace_back(field.name);
    }
    if (names.empty()) {
        throw config::UsageError(fmt::format("--fields is needed: {}", fmt::join(known, ", ")));
    }
    std::vector<sim::training::EfficiencyField> result;
    for (const std::string& name : sim::split(names, ',')) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw config::UsageError(
                fmt::format("--fields: there is no \"{}\"{}", name, sim::did_you_mean(name, known)));
        }
        result.push_back(sim::training::efficiency_fields()[static_cast<std::size_t>(found - known.begin())]);
    }
    return result;
}

// Runs on GPUs of the generation, in these sets (empty: in any).
CalibrationRuns runs_of(const Options& options) {
    const std::string content = config::read_json_text(options.file, "a JSON file", written_by_programs);
    const std::vector<RunRecord> records = read_runs(content, options.file);
    const std::vector<Measured> measured = read_measured(content, options.file);
    const std::vector<std::string> sets = sim::split(options.sets, ',');
    CalibrationRuns runs{.machines = machines_of(records)};
    for (std::size_t i = 0; i < records.size(); ++i) {
        Assumed assumed;
        const bool in_sets = options.sets.empty() || std::find(sets.begin(), sets.end(), records[i].set) != sets.end();
        if (records[i].problem.empty() && in_sets &&
            machine_of(records[i], runs.machines, {}, assumed).gpu.generation == options.generation) {
            runs.records.push_back(records[i]);
            runs.measured.push_back(measured[i]);
        }
    }
    if (runs.records.empty()) {
        throw config::UsageError(fmt::format("{} has no runs on {} in {}", options.file, options.generation,
                                             options.sets.empty() ? "any set" : options.sets));
    }
    return runs;
}

std::string errors_of(const CalibrationRuns& runs, const std::vector<EfficiencyChange>& changes, const ForEach& each) {
    report::TextTable table{
        .columns = {{"set", report::Align::left}, {"runs"}, {"error"}, {"bias"}}, .rows = {}, .margin = "#   "};
    const std::vector<RunPrediction> predictions =
        predict_runs(runs.records, {.changes = changes, .machines = runs.machines, .for_each = each});
    for (const SetScore& set : set_scores(predictions, runs.measured)) {
        table.rows.push_back({{set.name, fmt::format("{}", set.steps.size()),
                               fmt::format("{:.2f} %", mean_absolute_error(set.steps) * 100),
                               fmt::format("{:+.2f} %", mean_error(set.steps) * 100)}});
    }
    return text_of(table);
}

// Prints the errors of each set, and the generation's uncertainty as lines of its data file.
void write_left_out(const std::string& file, const CalibrationRuns& runs, const Calibration& calibration) {
    const std::vector<LeftOutSet> sets = leave_one_out(runs, calibration);
    report::TextTable table{
        .columns = {{"set, left out", report::Align::left}, {"runs"}, {"error"}, {"as shipped"}, {"in range"}},
        .rows = {}};
    for (const LeftOutSet& set : sets) {
        const std::vector<Pair> left = set_scores(set.left_out, set.measured).front().steps;
        const std::vector<Pair> shipped = set_scores(set.shipped, set.measured).front().steps;
        table.rows.push_back(
            {{set.name, fmt::format("{}", left.size()), report::percent_text(mean_absolute_error(left)),
              report::percent_text(mean_absolute_error(shipped)), report::percent_text(share_in_range(set, sets))}});
    }
    const training::Uncertainty found = tools::uncertainty_of(sets);
    print(fmt::format("{}[uncertainty] of {}\ndense = {}\nexperts = {}\norder = {}\n", text_of(table),
                      calibration.generation, found.dense, found.experts, found.order));
    write_output(file, [&](std::ostream& out) { out << report::csv_of(left_out_runs(sets)); });
}

int run(int argc, const char* const* argv) {
    Options options;
    if (!command_line::take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::Workers workers(options.jobs);
    Calibration calibration{
        .generation = options.generation,
        .fields = fields_named(options.fields),
        .others = options.efficiency.empty() ? std::vector<EfficiencyChange>{} : efficiency_changes(options.efficiency),
        .passes = options.passes,
        .first_step = options.step,
        .for_each = workers.executor()};
    calibration.on_pass = [](int pass, double loss) { tell(fmt::format("pass {}: loss {:.5f}\n", pass, loss)); };
    const CalibrationRuns runs = runs_of(options);
    if (!options.leave_one_out.empty()) {
        write_left_out(options.leave_one_out, runs, calibration);
        return done;
    }
    command_line::print(fmt::format("# before, {} runs\n{}", runs.records.size(),
                                    errors_of(runs, calibration.others, calibration.for_each)));
    const Descent best = calibrate(runs, calibration);
    std::vector<EfficiencyChange> changes = calibration.others;
    std::string lines;
    for (std::size_t i = 0; i < calibration.fields.size(); ++i) {
        changes.push_back({options.generation, calibration.fields[i].field, best.values[i]});
        lines += fmt::format("{} = {:.6g}\n", calibration.fields[i].name, best.values[i]);
    }
    command_line::print(fmt::format("# after {} evaluations, loss {:.5f}\n{}{}", best.calls, best.least,
                                    errors_of(runs, changes, calibration.for_each), lines));
    return done;
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::exit_code_of("ndsim_calibrate", [&] { return run(argc, argv); });
}
