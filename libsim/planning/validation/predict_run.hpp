// This function predicts one published run: as its record describes it, with the best choice where the record leaves
// one open.
#pragma once

#include "libsim/planning/validation/candidates.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::planning {

struct RunPrediction {
    std::string id;
    std::string set;
    double step_seconds = 0;
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
                          const std::vector<EfficiencyChange>& changes = {});

}  // namespace sim::planning
