// Measurements of published runs are read apart from their configuration (record.hpp), and only to score predictions.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

struct Measured {
    std::optional<double> step_seconds;
    std::optional<double> tokens_per_second;  // of one GPU
    std::optional<double> teraflops;          // of one GPU
    std::string teraflops_kind;               // which operations were counted
    std::optional<double> memory_gib;         // of one GPU, at its peak
    std::optional<double> layer_seconds;      // of one layer, forward and backward
    bool usable = true;                       // for scoring the step's time
    std::string problem;                      // what of it cannot be, and where: then nothing above is sure
};

// In the order of read_runs(); a record without it has measured nothing. Throws UsageError as read_runs() does.
std::vector<Measured> read_measured(const std::string& text, const std::string& file);

// The measured time of one step: given, or from tokens per second, or from FLOP/s by the operations that were counted.
// Empty if nothing was measured.
std::optional<double> measured_seconds(const Measured& measured, const training::Transformer& model,
                                       const training::Layout& layout, bool causal_half);

// Operations of a step as published FLOP/s count them. `kind` "hardware …": with the recomputed forward pass (96 B s L
// h^2 (1 + s/6h + V/16Lh) for GPT, Narayanan et al. 2021); "model …": without it (72 B s L h^2 (1 + s/6h + V/12Lh),
// Korthikanti et al. 2022). `causal_half`: attention's masked half is not counted (NeMo, Megatron Bridge).
double counted_flops(const std::string& kind, const training::Transformer& model, int global_batch, bool causal_half);

}  // namespace sim::fit
