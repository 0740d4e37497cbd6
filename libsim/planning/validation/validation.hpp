// Predictions of many published runs, side by side on the machine's cores.
#pragma once

#include "libsim/planning/validation/predict_run.hpp"

#include <functional>
#include <vector>

namespace sim::scenarios {

struct ValidationOptions {
    std::vector<EfficiencyChange> changes;
    Machines machines;     // of the records, for who predicts them often; empty: read anew
    unsigned threads = 0;  // 0: as many as there are cores
    std::function<void(std::size_t)> on_done = nullptr;  // how many are; by one thread at a time
};

// In the order of `records`; the same for any number of threads.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options = {});

// "ampere.gemm_peak=0.7,hopper.nic_share=0.8". Throws UsageError: what is wrong, and the nearest name.
std::vector<EfficiencyChange> efficiency_changes(const std::string& text);

}  // namespace sim::scenarios
