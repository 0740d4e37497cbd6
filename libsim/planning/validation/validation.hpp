// A validation predicts many published runs.
#pragma once

#include "libsim/for_each.hpp"
#include "libsim/planning/validation/predict_run.hpp"

#include <functional>
#include <vector>

namespace sim::planning {

struct ValidationOptions {
    std::vector<EfficiencyChange> changes;
    MachinesByName machines;        // of the records, if they are predicted often; empty: read anew
    ForEach for_each = one_by_one;  // of runs
    std::function<void(std::size_t done)> on_progress = nullptr;
};

// In the order of `records`, whatever `for_each` does.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options = {});

}  // namespace sim::planning
