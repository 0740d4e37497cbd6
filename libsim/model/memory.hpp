// What a GPU's memory holds in a training step: by kind, over time, at its peak.
//
// Sources: Korthikanti et al. 2022 (activations), Rajbhandari et al. 2020 (states), Megatron-LM's distributed
// optimizer.
#pragma once

#include "libsim/model/layout.hpp"
#include "libsim/model/machine.hpp"
#include "libsim/model/transformer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::model {

// Bytes of one rank. `activations` at their most.
struct MemoryUse {
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;    // master weights, moments
    std::int64_t activations = 0;  // kept from forward to backward
    std::int64_t working = 0;      // of one layer while it is computed, logits and their gradients, gathered parameters
    std::int64_t buffers = 0;      // communication, workspaces
    std::int64_t reserve = 0;      // the CUDA context, NCCL, and what the allocator cannot use

    std::int64_t states() const { return parameters + gradients + optimizer; }
    std::int64_t total() const { return states() + activations + working + buffers + reserve; }
};

// A rank of each pipeline stage: all others of the stage are alike.
struct StageMemory {
    int stage = 0;
    MemoryUse peak;
    int in_flight = 0;            // micro-batches (counted in every chunk) whose activations are kept at the peak
    std::string when;             // "forward of micro-batch 7", "optimizer step"
    std::optional<int> overflow;  // the first layer whose activations do not fit any more; -1: the states do not
};

struct Memory {
    std::int64_t capacity = 0;
    std::vector<StageMemory> stages;

    const StageMemory& fullest() const;
    bool fits() const;
};

// Cost: linear in the steps of the schedule. Requires: check_layout() accepted the layout.
Memory memory_of(const Transformer& model, const Machine& machine, const Layout& layout);
// The largest stage's total alone, without a timeline: what a search asks first. Never above memory_of(); below it by
// less than 2 %.
std::int64_t least_memory(const Transformer& model, const Machine& machine, const Layout& layout);

// Over time: what one rank of `stage` holds after each step of its schedule, in order.
struct MemoryAt {
    std::string step;
    MemoryUse use;
};
std::vector<MemoryAt> memory_over_time(const Transformer& model, const Machine& machine, const Layout& layout,
                                       int stage);

// Bytes that one layer keeps for the backward pass, per micro-batch and rank (Korthikanti et al., equations 1 to 5, for
// any width, gating, grouped or latent attention, experts).
std::int64_t layer_activations(const Transformer& model, const Layout& layout, int layer);
// Bytes of states per parameter of a dense layer, as ZeRO's table 1 and Megatron-LM count them.
struct StateBytes {
    double parameters = 2;
    double gradients = 4;
    double optimizer = 12;
};
StateBytes state_bytes(const Layout& layout, int replicas);

}  // namespace sim::model
