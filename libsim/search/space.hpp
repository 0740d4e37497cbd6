// A search space is the set of layouts that a search goes through: a list of values for each axis, and the settings
// that all layouts share.
//
// An axis without values has the usual ones, which depend on the others:
//   tp           divisors of the GPUs, up to a node's
//   pp           divisors of the GPUs, up to the layers; of a list of layers, those that divide its stages
//   cp           powers of two that leave a rank 4,096 tokens
//   ep           divisors of the experts, up to dp x cp x tp
//   expert_tp    1
//   interleave   divisors of a stage's layers, up to 16; 1 where there is one stage; what a list of layers says
//   micro_batch  powers of two up to 16
//   zero         0 to 3, without 2 where there are stages, which is as 1 there; 0 alone where there is nothing to
//                spread over
//   recompute    none and full; also selective where that is neither: of attention that keeps its scores, of modules
//                that were named, by operators in PyTorch's own loop with zero 3, and otherwise of usual_modules()
//   schedule     1f1b, and interleaved where there are several chunks
// dp is what is left of the GPUs. Activations are spread over tp (sequence parallel) wherever tp > 1 divides them.
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
    std::vector<training::Recompute> recompute;
    std::vector<KnownSchedule> schedule;
    std::optional<bool> sequence_parallel;
    training::Layout rest;  // global batch, precision, switches … of all layouts
};

// One layout, as small as a search of millions wants it.
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
    training::Recompute recompute = training::Recompute::none;
    std::uint8_t schedule = 0;  // of schedules_of()
    friend bool operator==(const PlanPoint&, const PlanPoint&) = default;
};

// A switch of the layout that has a list of numbers in a space and one of them in a point.
struct PlanAxis {
    const char* option;  // "tp"; its row in training::layout_fields() says the rest
    const char* help;    // with the usual values
    std::vector<int> PlanSpace::*values;
    int PlanPoint::*value;
    int& (*in)(training::Layout&);
};
std::span<const PlanAxis> plan_axes();

// The modules whose recomputation saves much for little time: the way up of latent attention, and the activation of
// experts. None of them in a model without either.
// Source: Megatron Bridge's recipes for DeepSeek-V3 and Qwen3 MoE (recompute_modules).
training::LayerModules usual_modules(const training::Transformer& model);

// The schedules that PlanPoint::schedule counts: the space's own, or the usual ones.
std::vector<KnownSchedule> schedules_of(const PlanSpace& space);

// Every combination once, simple ones first: fewer GPUs, then less of tp, pp, cp, ep and chunks, lower zero, no
// recomputation, smaller micro-batches. Where tp x pp x cp does not divide the GPUs there is one point, whose ranks are
// fewer than its GPUs. Throws ProgramError beyond 2 million of them.
std::vector<PlanPoint> points_of(const PlanSpace& space, const training::Transformer& model,
                                 const training::Machine& machine);

training::Layout layout_of(const PlanSpace& space, const training::Transformer& model, const PlanPoint& point);

}  // namespace sim::search
