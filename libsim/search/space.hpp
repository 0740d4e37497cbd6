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
//   recompute    none, selective and full; selective has the modules that were named, or each of selective_ways();
//                with zero 3 it selects operators, which only PyTorch's own loop does
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
    training::LayerModules modules = training::LayerModule::core_attention;  // that selective recomputation repeats
    std::uint8_t schedule = 0;                                               // index into schedules_of()
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

// The sets of modules that selective recomputation repeats, from the least time and the most memory to the reverse:
//   the norms, and modules that save much memory for little time: the scores if attention keeps them, latent
//   attention's up projection, and the experts' activation function
//   all of that, and whole feed-forward parts
// Source: Megatron-LM's --recompute-modules, and Megatron Bridge's recipes for DeepSeek-V3 and Qwen3 MoE.
std::vector<training::LayerModules> selective_ways(const training::Transformer& model, bool flash_attention);

// The schedules that PlanPoint::schedule indexes: the space's own, or the usual ones.
std::vector<KnownSchedule> schedules_of(const PlanSpace& space);

// Every combination once, simple ones first: fewer GPUs, then smaller tp, pp, cp, ep and fewer chunks, lower zero, no
// recomputation, smaller micro-batches. If tp x pp x cp does not divide the GPUs there is one point, which has fewer
// ranks than GPUs. Throws ProgramError beyond 2 million points.
std::vector<PlanPoint> points_of(const PlanSpace& space, const training::Transformer& model,
                                 const training::Machine& machine);

// "none", "selective", "selective layernorm,mlp": modules only if they are not the usual ones.
std::string recomputation_text(const PlanPoint& point);

training::Layout layout_of(const PlanSpace& space, const training::Transformer& model, const PlanPoint& point);

}  // namespace sim::search
