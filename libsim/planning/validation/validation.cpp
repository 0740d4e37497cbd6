#include "libsim/planning/validation/validation.hpp"

namespace sim::planning {

// One number at a time: runs differ a thousandfold in what they cost.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options) {
    const MachinesByName machines = options.machines.empty() ? machines_of(records) : options.machines;
    std::vector<RunPrediction> results(records.size());
    options.for_each(records.size(), {.on_progress = options.on_progress},
                     [&](std::size_t i) { results[i] = predict_run(records[i], machines, options.changes); });
    return results;
}

}  // namespace sim::planning
