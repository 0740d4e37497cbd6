// The memory model gives the contents of a GPU's memory in a training step: by kind, over time, and at its peak.
//
// docs/memory.md has every formula. Sources: Korthikanti et al. 2022 (activations), Rajbhandari et al. 2020 (states),
// Qi et al. 2024 (split backward), and the behaviour of Megatron-LM, DeepSpeed and torchtitan.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::training {

// Bytes of one rank at one moment.
struct MemoryUse {
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;    // master weights, moments
    std::int64_t activations = 0;  // of layers, kept from forward to backward
    std::int64_t working = 0;      // of the layer being computed: its gradients, logits, gathered parameters
    std::int64_t buffers = 0;      // communication, workspaces
    std::int64_t reserve = 0;      // the CUDA context, NCCL, and memory that the allocator cannot use
    std::int64_t context = 0;      // the part of `reserve` outside of the allocator: CUDA and NCCL

    std::int64_t states() const { return parameters + gradients + optimizer; }
    // These match torch.cuda.max_memory_allocated(), max_memory_reserved() and nvidia-smi.
    std::int64_t allocated() const { return states() + activations + working + buffers; }
    std::int64_t reserved() const { return allocated() + reserve - context; }
    std::int64_t total() const { return allocated() + reserve; }

    friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

// One rank of each pipeline stage, which stands for all ranks of the stage.
struct StageMemory {
    int stage = 0;
    MemoryUse peak;
    int in_flight = 0;            // micro-batches (counted per chunk) whose activations are kept at the peak
    std::string when;             // "backward of micro-batch 0", "optimizer step"
    std::optional<int> overflow;  // first layer whose activations do not fit; -1: the states do not
    std::string overflow_when;    // the step of the schedule in which they overflow
};

struct Memory {
    std::int64_t capacity = 0;
    std::vector<StageMemory> stages;

    const StageMemory& fullest() const;
    bool fits() const;
};

// Cost: linear in the steps of the schedule. Requires: check_layout() accepted the layout.
Memory memory_of(const Transformer& model, const Machine& machine, const Layout& layout);
// Only the largest stage's total, without a timeline, for a search's first check. Never above memory_of(), and less
// than 2 % below it (4 % if some layers are left in 16 bits).
std::int64_t least_memory(const Transformer& model, const Machine& machine, const Layout& layout);

// The most memory that a rank of `stage` holds in each step of its schedule, in order; first the states alone, last the
// optimizer step.
struct MemoryAt {
    std::string step;
    MemoryUse use;
};
std::vector<MemoryAt> memory_over_time(const Transformer& model, const Machine& machine, const Layout& layout,
                                       int stage);

// "stage 1 needs 92.10 GiB of 80.00 GiB: layer 14 is the first that does not fit, in forward of micro-batch 3", one
// line per stage that does not fit; empty if all do. A stage is named by its first rank.
std::string explain_overflow(const Memory& memory, const Layout& layout);

// Bytes that one layer keeps for the backward pass, per micro-batch and rank (Korthikanti et al., equations 1 to 5, for
// any width, gating, grouped or latent attention, experts).
std::int64_t layer_activations(const Transformer& model, const Layout& layout, int layer);

// Bytes of states per trained parameter of a hidden matrix, as counted in ZeRO's table 1 and by Megatron-LM, sharded
// over `shards` ranks by zero. Without the states of an optimizer that depend on a matrix' shape.
struct StateBytes {
    double parameters = 2;
    double gradients = 4;
    double optimizer = 12;
    double total() const { return parameters + gradients + optimizer; }
};
StateBytes state_bytes(const Layout& layout, int shards);

// The memory of a rank of `stage` as the literature counts it: only the layers' matrices and activations, without
// embeddings, biases, norms, logits and buffers (Korthikanti et al. 2022, figure 1).
MemoryUse published_use(const Transformer& model, const Layout& layout, int stage);

// The bytes that the loss takes for each logit at its peak: 2 to 14 bytes.
double loss_bytes_per_logit(const Layout& layout);

}  // namespace sim::training
