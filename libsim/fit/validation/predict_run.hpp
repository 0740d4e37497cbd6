// These functions predict published runs: each as its record describes it, with the best choice where the record leaves
// one open.
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
    predict::StepRange range;             // of it
    double memory_gib = 0;                // of the fullest GPU, as its framework would print it
    std::optional<double> layer_seconds;  // of models of one layer: its forward and backward pass
    training::Transformer model;
    training::Layout layout;
    bool causal_half = false;  // how the framework counts FLOP/s
    Assumed assumed;
    std::string problem;  // not predicted, and why; then nothing above but id and set is sure
};

// Tries the open choices (at most 12 layouts): for each the least recomputation that fits into memory, and of these the
// fastest. Depends on nothing but its arguments; may be called by several threads.
RunPrediction predict_run(const RunRecord& record, const MachinesByName& machines,
                          const std::vector<predict::EfficiencyChange>& changes = {});

struct ValidationOptions {
    std::vector<predict::EfficiencyChange> changes;
    MachinesByName machines;        // of the records, if they are predicted often; empty: read anew
    ForEach for_each = one_by_one;  // of runs
    std::function<void(std::size_t done)> on_progress = nullptr;
};

// Predicts many published runs: in the order of `records`, whatever `for_each` does.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options = {});

}  // namespace sim::fit
