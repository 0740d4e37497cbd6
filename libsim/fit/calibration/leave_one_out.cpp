#include "libsim/fit/calibration/leave_one_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::fit {

std::vector<LeftOutSet> leave_one_out(const MeasuredRuns& runs, const GenerationFit& fit) {
    std::vector<LeftOutSet> result;
    for (const std::string& set : sets_of(runs)) {
        const MeasuredRuns own = runs_where(runs, [&](const RunRecord& record) { return record.set == set; });
        const MeasuredRuns others = runs_where(runs, [&](const RunRecord& record) { return record.set != set; });
        const auto predicted = [&](const std::vector<predict::EfficiencyChange>& changes) {
            return predict_runs(own.records, {.changes = changes, .machines = fit.machines, .for_each = fit.for_each});
        };
        result.push_back({.name = set,
                          .measured = own.measured,
                          .left_out = predicted(changes_of(fit, fit_generation(others, fit).values)),
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

}  // namespace sim::fit
