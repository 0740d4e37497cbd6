// These functions predict published runs, each as its record describes it, with the best choice for anything that the
// record leaves open.
#pragma once

#include "libsim/fit/validation/candidates.hpp"
#include "libsim/for_each.hpp"
#include "libsim/predict/step_range.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

struct RunPrediction {
    std::string id;
    std::string set;
    std::string generation;  // of its GPU
    double step_seconds = 0;
    predict::StepRange range;             // of step_seconds
    double memory_gib = 0;                // of the fullest GPU, as its framework reports it
    std::optional<double> layer_seconds;  // for models of one layer: its forward and backward pass
    training::Transformer model;
    training::Layout layout;
    bool causal_half = false;  // the framework's FLOP/s leave out attention's masked half
    Assumed assumed;
    std::string problem;  // why it was not predicted; if set, only id and set above are valid
};

// Tries the open choices (at most 12 layouts), each with the least recomputation that fits into memory, and takes the
// fastest. Depends only on its arguments; thread-safe.
RunPrediction predict_run(const RunRecord& record, const MachinesByName& machines,
                          const std::vector<predict::EfficiencyChange>& changes = {});

struct ValidationOptions {
    std::vector<predict::EfficiencyChange> changes;
    MachinesByName machines;        // of the records, if they are predicted often; empty: read for this call
    ForEach for_each = one_by_one;  // runs over the records
    std::function<void(std::size_t done)> on_progress = nullptr;
};

// Predicts many published runs. The result is in the order of `records`, whatever the order of `for_each`.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options = {});

}  // namespace sim::fit
