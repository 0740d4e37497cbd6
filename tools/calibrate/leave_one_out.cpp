#include "tools/calibrate/leave_one_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::tools {

using namespace predict;
using namespace fit;
namespace {

std::vector<std::string> sets_of(const CalibrationRuns& runs) {
    std::vector<std::string> names;
    for (const RunRecord& record : runs.records) {
        if (std::find(names.begin(), names.end(), record.set) == names.end()) {
            names.push_back(record.set);
        }
    }
    return names;
}

// The runs of the set, or all others.
CalibrationRuns chosen(const CalibrationRuns& runs, const std::string& set, bool of_it) {
    CalibrationRuns result{.machines = runs.machines};
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        if ((runs.records[i].set == set) == of_it) {
            result.records.push_back(runs.records[i]);
            result.measured.push_back(runs.measured[i]);
        }
    }
    return result;
}

std::vector<EfficiencyChange> found_without(const CalibrationRuns& others, const Calibration& calibration) {
    const Descent best = calibrate(others, calibration);
    std::vector<EfficiencyChange> changes = calibration.others;
    for (std::size_t i = 0; i < best.values.size(); ++i) {
        changes.push_back({calibration.generation, calibration.fields[i].field, best.values[i]});
    }
    return changes;
}

}  // namespace

std::vector<LeftOutSet> leave_one_out(const CalibrationRuns& runs, const Calibration& calibration) {
    std::vector<LeftOutSet> result;
    for (const std::string& set : sets_of(runs)) {
        const CalibrationRuns own = chosen(runs, set, true);
        const auto predicted = [&](std::vector<EfficiencyChange> changes) {
            return predict_runs(
                own.records,
                {.changes = std::move(changes), .machines = own.machines, .for_each = calibration.for_each});
        };
        result.push_back({.name = set,
                          .measured = own.measured,
                          .left_out = predicted(found_without(chosen(runs, set, false), calibration)),
                          .shipped = predicted({})});
    }
    return result;
}

training::Uncertainty uncertainty_of(const std::vector<LeftOutSet>& sets, const std::string& without) {
    std::vector<Deviation> shipped;
    std::vector<Deviation> left_out;
    const auto add = [](std::vector<Deviation>& to, const std::vector<Deviation>& more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    for (const LeftOutSet& set : sets) {
        if (set.name != without) {
            add(shipped, deviations_of(set.shipped, set.measured));
            add(left_out, deviations_of(set.left_out, set.measured));
        }
    }
    return uncertainty_of(shipped, left_out);
}

double share_in_range(const LeftOutSet& set, const std::vector<LeftOutSet>& sets) {
    const training::Uncertainty found = uncertainty_of(sets, set.name);
    const std::vector<Deviation> runs = deviations_of(set.left_out, set.measured);
    const auto inside = std::count_if(runs.begin(), runs.end(), [&](const Deviation& run) {
        return std::abs(run.log_ratio) <= (run.has_experts ? found.experts : found.dense);
    });
    return static_cast<double>(inside) / static_cast<double>(runs.size());
}

report::Table left_out_runs(const std::vector<LeftOutSet>& sets) {
    using report::Cells;
    report::Table table{.columns = {{"generation", Cells::names},
                                    {"set", Cells::names},
                                    {"id", Cells::names},
                                    {"predicted_s"},
                                    {"measured_s"}},
                        .rows = {}};
    for (const LeftOutSet& set : sets) {
        for (std::size_t i = 0; i < set.left_out.size(); ++i) {
            const RunPrediction& run = set.left_out[i];
            if (const RunScore score = score_of(i, run, set.measured[i]); score.step) {
                table.rows.push_back({run.generation, set.name, run.id, fmt::format("{:.6g}", score.step->predicted),
                                      fmt::format("{:.6g}", score.step->measured)});
            }
        }
    }
    return table;
}

}  // namespace sim::tools
