#include "tools/ndsim/calibrate/generation.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/fit/calibration/leave_one_out.hpp"
#include "libsim/fit/validation/score.hpp"
#include "libsim/nearest.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/split.hpp"
#include "tools/command_line/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace fit;

namespace {

std::vector<training::EfficiencyField> fields_named(const std::string& names) {
    std::vector<std::string> known;
    for (const training::EfficiencyField& field : training::efficiency_fields()) {
        known.emplace_back(field.name);
    }
    if (names.empty()) {
        throw UsageError(fmt::format("--fields is missing: the numbers to fit, of {}", fmt::join(known, ", ")));
    }
    std::vector<training::EfficiencyField> result;
    for (const std::string& name : split(names, ',')) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw UsageError(fmt::format("--fields: there is no \"{}\"{}", name, did_you_mean(name, known)));
        }
        result.push_back(training::efficiency_fields()[static_cast<std::size_t>(found - known.begin())]);
    }
    return result;
}

MeasuredRuns on_generation(const MeasuredRuns& all, const GenerationFit& fit, const std::string& file) {
    MeasuredRuns runs = runs_where(all, [&](const RunRecord& record) {
        Assumed assumed;
        return record.problem.empty() && machine_of(record, fit.machines, {}, assumed).gpu.generation == fit.generation;
    });
    if (runs.records.empty()) {
        throw UsageError(fmt::format("--runs: {} has no run on {}", file, fit.generation));
    }
    return runs;
}

std::string errors_of(const MeasuredRuns& runs, const GenerationFit& fit,
                      const std::vector<predict::EfficiencyChange>& changes) {
    report::TextTable table{
        .columns = {{"set", report::Align::left}, {"runs"}, {"error"}, {"bias"}}, .rows = {}, .margin = "#   "};
    const std::vector<RunPrediction> predictions =
        predict_runs(runs.records, {.changes = changes, .machines = fit.machines, .for_each = fit.for_each});
    for (const SetScore& set : set_scores(predictions, runs.measured)) {
        table.rows.push_back({{set.name, fmt::format("{}", set.steps.size()),
                               fmt::format("{:.2f} %", mean_absolute_error(set.steps) * 100),
                               fmt::format("{:+.2f} %", mean_error(set.steps) * 100)}});
    }
    return text_of(table);
}

std::string fitted_text(const MeasuredRuns& runs, const GenerationFit& fit) {
    std::string text = fmt::format("# before, {} runs\n{}", runs.records.size(), errors_of(runs, fit, fit.others));
    const Descent best = fit_generation(runs, fit);
    text += fmt::format("# after {} evaluations, loss {:.5f}\n{}", best.calls, best.least,
                        errors_of(runs, fit, changes_of(fit, best.values)));
    for (std::size_t i = 0; i < fit.fields.size(); ++i) {
        text += fmt::format("{} = {:.6g}\n", fit.fields[i].name, best.values[i]);
    }
    return text;
}

// The errors of each set, and the generation's uncertainty as lines of its data file.
std::string left_out_text(const std::vector<LeftOutSet>& sets, const std::string& generation) {
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
    const training::Uncertainty found = uncertainty_of(sets);
    return fmt::format("{}[uncertainty] of {}\ndense = {}\nexperts = {}\norder = {}\n", text_of(table), generation,
                       found.dense, found.experts, found.order);
}

}  // namespace

std::vector<OptionRow> generation_rows(GenerationOptions& options) {
    return {
        {"generation", "NAME",
         "fit ndsim's own numbers of this GPU generation to published runs (--runs) instead, and print them as lines "
         "of its data file",
         config::text(options.generation)},
        {"fields", "NAMES", "numbers of the generation to fit, separated by commas", config::text(options.fields)},
        {"efficiency", "CHANGES",
         "numbers of the generation to start from: KEY=VALUE or GENERATION.KEY=VALUE, separated by commas",
         config::text(options.efficiency)},
        writing({"leave-one-out", "FILE",
                 "fit the generation without each set in turn, and write the predictions of the set's runs to FILE, as "
                 "CSV",
                 file(options.leave_one_out)}),
        {"passes", "N", "maximum number of passes over the generation's numbers", whole(options.passes, 1, 10'000)},
        {"step", "X", "first change of each of the generation's numbers, relative to it", real(options.step, 1e-6, 1)}};
}

Answer generation_answer(const GenerationOptions& options, const MeasuredRuns& runs, const std::string& file,
                         const ForEach& for_each, const Listener& listener) {
    GenerationFit fit{.generation = options.generation,
                      .fields = fields_named(options.fields),
                      .others = {},
                      .machines = machines_of(runs.records),
                      .passes = options.passes,
                      .first_step = options.step,
                      .for_each = for_each};
    if (!options.efficiency.empty()) {
        fit.others = predict::efficiency_changes(options.efficiency);
    }
    if (listener.note) {
        fit.on_pass = [&](int pass, double loss) { listener.note(fmt::format("pass {}: loss {:.5f}\n", pass, loss)); };
    }
    const MeasuredRuns of_generation = on_generation(runs, fit, file);
    if (options.leave_one_out.empty()) {
        return {.forms = {.text = [text = fitted_text(of_generation, fit)] { return text; }}};
    }
    check_output(options.leave_one_out);
    const std::vector<LeftOutSet> sets = leave_one_out(of_generation, fit);
    write_output(options.leave_one_out, [&](std::ostream& out) { out << report::csv_of(left_out_runs(sets)); });
    return {.forms = {.text = [text = left_out_text(sets, fit.generation)] { return text; }}};
}

}  // namespace sim::tools
