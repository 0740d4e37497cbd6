#include "libsim/fit/validation/report.hpp"

#include "libsim/fit/validation/gates.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::fit {

using namespace report;

namespace {

std::string rank(const std::optional<double>& correlation) {
    return correlation ? fmt::format("{:.3f}", *correlation) : "-";
}

report::TextRow row_of(const SetScore& set) {
    const std::optional<double> promised = promised_error(set.name);
    const double error = mean_absolute_error(set.steps);
    const bool scored = !set.steps.empty();
    const bool memory = !set.memories.empty();
    const char* verdict = !scored || !promised ? "" : error <= *promised ? "kept" : "missed";
    return {{set.name, fmt::format("{}", set.steps.size()), scored ? percent_text(error) : "-",
             promised ? percent_text(*promised) : "-", scored ? change_text(mean_error(set.steps)) : "-",
             rank(rank_correlation(set.steps)), rank(set.sweep_correlation), fmt::format("{}", set.memories.size()),
             memory ? percent_text(mean_absolute_error(set.memories)) : "-", verdict}};
}

void add_worst(report::TextTable& table, const SetScore& set, const std::vector<RunPrediction>& predictions) {
    for (const RunScore& score : set.worst) {
        const RunPrediction& run = predictions[score.record];
        table.rows.push_back(
            {{run.id, change_text(score.step->error()), fmt::format("{:.4g} s predicted,", score.step->predicted),
              fmt::format("{:.4g} s measured", score.step->measured),
              fmt::format("{} on {}", run.model.name, number_text(run.layout.ranks(), "GPU", "GPUs"))}});
    }
}

std::string layers_of(const std::vector<SetScore>& sets) {
    std::string result;
    for (const SetScore& set : sets) {
        if (!set.layers.empty()) {
            result += fmt::format("{}: one layer, forward and backward: {} runs, error {}, bias {}\n", set.name,
                                  set.layers.size(), percent_text(mean_absolute_error(set.layers)),
                                  change_text(mean_error(set.layers)));
        }
    }
    return result.empty() ? "" : "\n" + result;
}

// "ampere 372 of 461 (80.7 %), …"
std::string ranges_text(const std::vector<RangeScore>& ranges) {
    std::vector<std::string> parts;
    for (const RangeScore& one : ranges) {
        const double share = static_cast<double>(one.in_range) / static_cast<double>(one.steps);
        parts.push_back(fmt::format("{} {} of {} ({})", one.generation, one.in_range, one.steps, percent_text(share)));
    }
    return parts.empty() ? ""
                         : fmt::format("\nMeasured steps within their {:.0f} % range: {}\n",
                                       100 * training::range_share, fmt::join(parts, ", "));
}

std::string left_out_text(const std::vector<LeftOut>& left, std::size_t records) {
    if (left.empty()) {
        return "";
    }
    std::string result = fmt::format("\n{} of {} left out:\n", left.size(),
                                     number_text(static_cast<std::int64_t>(records), "record", "records"));
    for (const LeftOut& one : left) {
        result += fmt::format("  {}\n", one.why);
    }
    return result;
}

}  // namespace

std::vector<LeftOut> left_out(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    std::vector<LeftOut> result;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const std::string& why = predictions[i].problem.empty() ? measured[i].problem : predictions[i].problem;
        if (!why.empty()) {
            result.push_back({predictions[i].id, why});
        }
    }
    return result;
}

std::string validation_table(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    const std::vector<SetScore> sets = set_scores(predictions, measured);
    report::TextTable errors{.columns = {{"set", Align::left},
                                         {"runs"},
                                         {"error"},
                                         {"promised"},
                                         {"bias"},
                                         {"rank"},
                                         {"sweep"},
                                         {"mem"},
                                         {"error"},
                                         {"", Align::left}},
                             .rows = {},
                             .margin = "  "};
    report::TextTable worst{.columns = {{"", Align::left}, {""}, {""}, {"", Align::right, 1}, {"", Align::left}},
                            .rows = {},
                            .margin = "  "};
    for (const SetScore& set : sets) {
        errors.rows.push_back(row_of(set));
        add_worst(worst, set, predictions);
    }
    std::string result =
        text_of(errors) +
        "\nerror: mean absolute error of the step's time, and of peak memory where that was measured (mem runs);\n"
        "bias: its mean with sign; rank: Spearman's rank correlation in the set, and in sweeps of one model on as\n"
        "many GPUs\n";
    result += layers_of(sets);
    result += ranges_text(range_scores(predictions, measured));
    if (!worst.rows.empty()) {
        result += "\nFurthest off, by set:\n" + text_of(worst);
    }
    return result + left_out_text(left_out(predictions, measured), predictions.size());
}

}  // namespace sim::fit
