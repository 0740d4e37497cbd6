// Measurements of published runs, read separately from their configuration (record.hpp) and only to score predictions.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

struct Measured {
    std::optional<double> step_seconds;
    std::optional<double> tokens_per_second;  // per GPU
    std::optional<double> teraflops;          // TFLOP/s per GPU
    std::string teraflops_kind;               // which operations it counts
    std::optional<double> memory_gib;         // peak of one GPU
    std::optional<double> layer_seconds;      // of one layer, forward and backward
    bool usable = true;                       // for scoring the step time
    std::string problem;                      // which value is impossible, and where; if set, nothing above is valid
};

// In the order of read_runs(); a record without measurements yields an empty one. Throws UsageError as read_runs()
// does.
std::vector<Measured> read_measured(const std::string& text, const std::string& file);

// The measured time of one step: as given, or from tokens per second, or from FLOP/s and the operations they count.
// Empty if nothing was measured.
std::optional<double> measured_seconds(const Measured& measured, const training::Transformer& model,
                                       const training::Layout& layout, bool causal_half);

// The operations of a step that published FLOP/s count. `kind` "hardware …" includes the recomputed forward pass (96 B
// s L h^2 (1 + s/6h + V/16Lh) for GPT, Narayanan et al. 2021); "model …" does not (72 B s L h^2 (1 + s/6h + V/12Lh),
// Korthikanti et al. 2022). `causal_half` leaves out attention's masked half (NeMo, Megatron Bridge).
double counted_flops(const std::string& kind, const training::Transformer& model, int global_batch, bool causal_half);

}  // namespace sim::fit
