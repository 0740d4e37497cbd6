// A search space is the set of layouts that a search goes through: a list of values for each axis, and the settings
// that all layouts share.
//
// An axis you leave out takes its usual values, which depend on the other axes:
//   tp           divisors of the GPUs, up to a node's
//   pp           divisors of the GPUs, up to the layers; with a list of layers, those that divide its stages
//   cp           powers of two that leave a rank 4,096 tokens
//   ep           divisors of the experts, up to dp x cp x tp
//   expert_tp    1
//   interleave   divisors of a stage's layers, up to 16; 1 with a single stage; as a list of layers requires
//   micro_batch  powers of two up to 16
//   zero         0 to 3, without 2 if there are several stages, where it equals 1; only 0 with a single replica
//   shard        0: over all replicas; always with zero 0
//   recompute    none and full; also selective if it differs from both: for attention that keeps its scores, for
//                modules that were named, for PyTorch's own loop with zero 3, which selects operators, and
//                otherwise for usual_modules()
//   schedule     1f1b, and interleaved with several chunks
// dp is GPUs / (tp x pp x cp). Activations are sharded over tp (sequence parallelism) if tp > 1 divides them.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::search {

struct PlanSpace {
    std::vector<int> gpus;
    std::vector<int> dp;  // only these; empty: any
    std::vector<int> tp;
    std::vector<int> pp;
    std::vector<int> cp;
    std::vector<int> ep;
    std::vector<int> expert_tp;
    std::vector<int> interleave;
    std::vector<int> micro_batch;
    std::vector<int> zero;
    std::vector<int> shard;
    std::vector<training::Recompute> recompute;
    std::vector<KnownSchedule> schedule;
    std::optional<bool> sequence_parallel;
    training::Layout rest;  // settings of all layouts: global batch, precision, switches …
};

// One layout, kept small because a search has millions.
struct PlanPoint {
    int gpus = 1;
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int cp = 1;
    int ep = 1;
    int expert_tp = 1;
    int micro_batch = 1;
    int interleave = 1;
    int zero = 0;
    int shard = 0;
    training::Recompute recompute = training::Recompute::none;
    std::uint8_t schedule = 0;  // index into schedules_of()
    friend bool operator==(const PlanPoint&, const PlanPoint&) = default;
};

// A switch of the layout with a list of numbers in a space and one of them in a point.
struct PlanAxis {
    const char* option;  // "tp"; training::layout_fields() has its row
    const char* help;    // including the usual values
    std::vector<int> PlanSpace::*values;
    int PlanPoint::*value;
    int& (*in)(training::Layout&);
};
std::span<const PlanAxis> plan_axes();

// The modules whose recomputation saves much memory for little time: latent attention's up projection, and the experts'
// activation function. Empty for a model with neither. Source: Megatron Bridge's recipes for DeepSeek-V3 and Qwen3 MoE
// (recompute_modules).
training::LayerModules usual_modules(const training::Transformer& model);

// The schedules that PlanPoint::schedule indexes: the space's own, or the usual ones.
std::vector<KnownSchedule> schedules_of(const PlanSpace& space);

// Every combination once, simple ones first: fewer GPUs, then smaller tp, pp, cp, ep and fewer chunks, lower zero, no
// recomputation, smaller micro-batches. If tp x pp x cp does not divide the GPUs there is one point, which has fewer
// ranks than GPUs. Throws ProgramError beyond 2 million points.
std::vector<PlanPoint> points_of(const PlanSpace& space, const training::Transformer& model,
                                 const training::Machine& machine);

training::Layout layout_of(const PlanSpace& space, const training::Transformer& model, const PlanPoint& point);

}  // namespace sim::search
