// A framework decides what the layout leaves open: its kernels, what it recomputes, and what it overlaps.
//
// The defaults are those of Megatron Core. Practice of other frameworks: libsim/fit/validation/practice.cpp.
#pragma once

#include "libsim/training/layer_modules.hpp"

#include <cstdint>
#include <optional>

namespace sim::training {

// Whose training loop it is, where that decides what a step keeps in memory. zero = 3 is PyTorch's FSDP unless it is
// DeepSpeed's.
enum class TrainingLoop : std::uint8_t { megatron, deepspeed, torch };

// The activations that are dropped after the forward pass and recomputed in the backward pass.
enum class Recompute : std::uint8_t {
    none,
    selective,  // modules of a layer, which are the attention's scores (Korthikanti et al. 2022) unless others are
                // named; with flash attention scores are never kept. In FSDP of PyTorch: all but attention and every
                // second product
    full,       // whole layers: only their inputs are kept
};

// The way in which the small kernels between the GEMMs are made.
enum class Fusion : std::uint8_t {
    eager,  // one kernel per operation
    fused,  // hand-written ones for bias + activation, bias + dropout + residual, scale + mask + softmax (Megatron-LM)
    compiled,  // torch.compile
};

// Whose cross-entropy it is, which decides what a logit takes in memory.
enum class Loss : std::uint8_t {
    fused,     // Transformer Engine's: the gradient takes the place of the logits
    parallel,  // Megatron-LM's vocab_parallel_cross_entropy: softmax in fp32
    torch,     // torch.nn.functional.cross_entropy of logits.float()
};

// The kernels that a CUDA graph launches: the host has nothing to do for them.
enum class CudaGraphs : std::uint8_t {
    none,
    partial,  // attention, the router and what prepares the dispatch; without experts, whole layers
    full,     // the whole step
};

struct Framework {
    TrainingLoop loop = TrainingLoop::megatron;
    Recompute recompute = Recompute::none;
    LayerModules recompute_modules = LayerModule::core_attention;  // what selective recomputation repeats
    std::optional<Loss> loss;  // none: as published runs of unknown code are best met, see loss_of()

    // Kernels.
    Fusion fusion = Fusion::fused;
    bool flash_attention = true;
    int flash_version = 2;  // of FlashAttention: 1, 2, or 3, which stands for cuDNN's fused attention, too
    CudaGraphs cuda_graphs = CudaGraphs::none;
    bool grouped_experts = true;  // the products of all experts of a rank are one kernel, and quantising their inputs
                                  // is one; otherwise one for each expert

    bool fused_accumulation = true;  // weight-gradient GEMMs add to the sum over micro-batches (Megatron-LM from 2022
                                     // on: gradient accumulation fusion); otherwise a kernel adds them afterwards, as
                                     // in any loop but Megatron's

    // Communication that runs beside computation.
    bool overlap_gradients = true;         // reduced while the last micro-batch's backward pass runs
    bool overlap_parameters = true;        // gathered while the first forward pass runs (zero = 3: one layer ahead)
    bool overlap_weight_gradients = true;  // tensor parallelism's collectives run beside weight gradients
    bool overlap_tensor = false;           // collectives of tensor parallelism are hidden behind GEMMs
    bool overlap_pipeline = true;          // messages between stages leave while the stage computes on
    bool overlap_experts = false;          // experts' dispatch and combine run beside another micro-batch's computation

    // The first so many micro-batches leave the weights' gradient of the output layer to the end of the last stage's
    // passes, where it has nothing else to do than to wait for the others (Megatron-LM's
    // defer_embedding_wgrad_compute, wgrad_deferral_limit).
    int put_off_outputs = 0;

    // These settings are about communication.
    bool balanced_context = true;  // causal attention is spread evenly over cp
    bool dispatch_by_node = true;  // a token goes to each node once, however many of its experts are there
    bool scatter_gather = true;    // messages between stages are split over tp's network cards
    bool reduce_each_micro_batch =
        false;                          // zero = 2 with stages: a rank keeps its part of the gradients' sum alone, and
                                        // each micro-batch's are reduced; otherwise whole sums, once for each chunk
    bool reshard_after_forward = true;  // zero = 3: parameters are gathered again for the backward pass
    int gathers_per_layer = 1;          // zero = 3: in so many collectives (DeepSpeed: tensor by tensor)
    int reductions_per_layer = 1;       // the same of gradients
    bool lists_parts = false;           // zero = 3: these collectives take a list with a tensor for each rank's part,
                                        // and the host copies one after another (DeepSpeed of 2021)
    bool offload_optimizer = false;     // states and the update are the host's
    int offloaded_layers = 0;  // of the first so many layers, activations lie in the host's memory between the passes,
                               // and are copied beside the next layer's (Megatron-LM's cpu_offloading_num_layers)

    // Whether selective recomputation is of other modules than the usual ones.
    bool names_modules() const { return recompute_modules != LayerModules{LayerModule::core_attention}; }

    friend bool operator==(const Framework&, const Framework&) = default;
};

const char* name_of(TrainingLoop loop);
const char* name_of(Recompute recompute);
const char* name_of(Fusion fusion);
const char* name_of(CudaGraphs graphs);

}  // namespace sim::training
