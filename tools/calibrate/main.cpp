// ndsim_calibrate: the numbers of an accelerator generation's data file, found on published runs. For developers.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/nearest.hpp"
#include "tools/calibrate/calibration.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace {

using namespace sim::scenarios;

struct Options {
    std::string file;
    std::string generation = "ampere";
    std::string fields;
    std::string sets;
    std::string efficiency;
    int passes = 20;
    int threads = 0;
    double step = 0.1;
};

const Executable executable{
    .name = "ndsim_calibrate",
    .summary = "Finds what a GPU generation reaches of its peaks, and prints it as lines of its data file.",
    .examples = {"ndsim_calibrate docs/data/published_runs.json --generation ampere --fields gemm_peak,gemm_half_flops "
                 "--sets KORTH-T5,MOSAIC-A100-80"},
};

std::vector<OptionRow> option_rows(Options& options) {
    return {
        as_argument({"FILE", "", "records of runs, in JSON (docs/data/README.md)", text(options.file)}),
        {"generation", "NAME", "whose numbers", text(options.generation)},
        {"fields", "NAMES", "which of them, separated by commas", text(options.fields)},
        {"sets", "NAMES", "on which sets of runs, separated by commas; all of the generation", text(options.sets)},
        {"efficiency", "CHANGES", "numbers to start from: GENERATION.KEY=VALUE, separated by commas",
         text(options.efficiency)},
        {"passes", "N", "how often each number is changed at most", whole(options.passes, 1, 10'000)},
        {"step", "X", "the first change, as a share of the number", real(options.step, 1e-6, 1)},
        {"threads", "N", "how many runs are predicted side by side (0: as many as there are cores)",
         whole(options.threads, 0, 1024)},
    };
}

std::vector<std::string> split(const std::string& names) {
    std::vector<std::string> result;
    std::istringstream parts(names);
    for (std::string name; std::getline(parts, name, ',');) {
        result.push_back(name);
    }
    return result;
}

std::vector<sim::model::EfficiencyField> fields_named(const std::string& names) {
    std::vector<std::string> known;
    for (const sim::model::EfficiencyField& field : sim::model::efficiency_fields()) {
        known.emplace_back(field.name);
    }
    std::vector<sim::model::EfficiencyField> result;
    for (const std::string& name : split(names)) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw UsageError(fmt::format("--fields: there is no \"{}\"{}", name, sim::did_you_mean(name, known)));
        }
        result.push_back(sim::model::efficiency_fields()[static_cast<std::size_t>(found - known.begin())]);
    }
    if (result.empty()) {
        throw UsageError(fmt::format("--fields is needed: {}", fmt::join(known, ", ")));
    }
    return result;
}

// Runs on GPUs of the generation, in these sets (none: in any).
CalibrationRuns runs_of(const Options& options) {
    const std::string content = read_text(options.file, "a JSON file");
    const std::vector<RunRecord> records = read_runs(content, options.file);
    const std::vector<Measured> measured = read_measured(content, options.file);
    const std::vector<std::string> sets = split(options.sets);
    CalibrationRuns runs{.machines = machines_of(records)};
    for (std::size_t i = 0; i < records.size(); ++i) {
        Assumed assumed;
        const bool in_sets = sets.empty() || std::find(sets.begin(), sets.end(), records[i].set) != sets.end();
        if (records[i].problem.empty() && in_sets &&
            machine_of(records[i], runs.machines, {}, assumed).gpu.generation == options.generation) {
            runs.records.push_back(records[i]);
            runs.measured.push_back(measured[i]);
        }
    }
    if (runs.records.empty()) {
        throw UsageError(fmt::format("{} has no runs on {} in {}", options.file, options.generation,
                                     options.sets.empty() ? "any set" : options.sets));
    }
    return runs;
}

std::string errors_of(const CalibrationRuns& runs, const std::vector<EfficiencyChange>& changes, unsigned threads) {
    std::string text;
    const std::vector<RunPrediction> predictions =
        predict_runs(runs.records, {.changes = changes, .machines = runs.machines, .threads = threads});
    for (const SetScore& set : set_scores(predictions, runs.measured)) {
        text += fmt::format("#   {:<18} {:>4} runs  error {:>6.2f} %  bias {:>+7.2f} %\n", set.name, set.steps.size(),
                            mean_absolute_error(set.steps) * 100, mean_error(set.steps) * 100);
    }
    return text;
}

int run(int argc, const char* const* argv) {
    Options options;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    Calibration calibration{.generation = options.generation,
                            .fields = fields_named(options.fields),
                            .others = efficiency_changes(options.efficiency),
                            .passes = options.passes,
                            .first_step = options.step,
                            .threads = static_cast<unsigned>(options.threads)};
    calibration.on_pass = [](int pass, double loss) { fmt::print(stderr, "pass {}: loss {:.5f}\n", pass, loss); };
    const CalibrationRuns runs = runs_of(options);
    print(fmt::format("# before, {} runs\n{}", runs.records.size(),
                      errors_of(runs, calibration.others, calibration.threads)));
    const Descent best = calibrate(runs, calibration);
    std::vector<EfficiencyChange> changes = calibration.others;
    std::string lines;
    for (std::size_t i = 0; i < calibration.fields.size(); ++i) {
        changes.push_back({options.generation, calibration.fields[i].field, best.values[i]});
        lines += fmt::format("{} = {:.6g}\n", calibration.fields[i].name, best.values[i]);
    }
    print(fmt::format("# after {} evaluations, loss {:.5f}\n{}{}", best.calls, best.least,
                      errors_of(runs, changes, calibration.threads), lines));
    return done;
}

}  // namespace

int main(int argc, char** argv) {
    return exit_code_of("ndsim_calibrate", [&] { return run(argc, argv); });
}
