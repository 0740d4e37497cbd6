// The framework settings decide what the rest of the layout leaves open: kernels, recomputation and overlap.
//
// The defaults are those of Megatron Core. The practice of other frameworks: libsim/fit/validation/practices.toml.
#pragma once

#include "libsim/training/layer_modules.hpp"

#include <cstdint>
#include <optional>

namespace sim::training {

// The framework whose training loop runs, which decides what a step keeps in memory. zero = 3 is PyTorch's FSDP unless
// the loop is DeepSpeed's.
enum class TrainingLoop : std::uint8_t { megatron, deepspeed, torch };

// The activations that are dropped after the forward pass and recomputed in the backward pass.
enum class Recompute : std::uint8_t {
    none,
    selective,  // modules of a layer: attention scores (Korthikanti et al. 2022) unless others are named; flash
                // attention never keeps the scores. In PyTorch's FSDP: everything but attention and every second
                // product
    full,       // whole layers: only their inputs are kept
};

// Implementation of the small kernels between the GEMMs.
enum class Fusion : std::uint8_t {
    eager,     // one kernel per operation
    fused,     // hand-written kernels for bias + activation, bias + dropout + residual, scale + mask + softmax
               // (Megatron-LM)
    compiled,  // torch.compile
};

// The cross-entropy implementation, which decides the bytes that a logit takes.
enum class Loss : std::uint8_t {
    fused,     // Transformer Engine's: the gradient overwrites the logits
    parallel,  // Megatron-LM's vocab_parallel_cross_entropy: softmax in fp32
    torch,     // torch.nn.functional.cross_entropy of logits.float()
};

// The kernels that CUDA graphs launch, at no cost to the host.
enum class CudaGraphs : std::uint8_t {
    none,
    partial,  // attention, the router and the preparation of the dispatch; without experts, whole layers
    full,     // the whole step
};

// The exchange of context parallelism, by Megatron-LM's names.
enum class ContextExchange : std::uint8_t {
    p2p,         // keys and values go around a ring (Liu et al. 2023)
    all_gather,  // keys and values of the whole sequence are gathered (Llama 3: arXiv 2407.21783)
    a2a,         // each rank gets the whole sequence for some of the heads (DeepSpeed-Ulysses: arXiv 2309.14509)
    a2a_p2p,     // the latter among `ulysses` adjacent ranks, the former between such groups (USP: arXiv 2405.07719)
};

struct Framework {
    TrainingLoop loop = TrainingLoop::megatron;
    Recompute recompute = Recompute::none;
    LayerModules recompute_modules = LayerModule::core_attention;  // modules that selective recomputation repeats
    std::optional<Loss> loss;  // none: the choice that best matches published runs of unknown code, see loss_of()

    // Kernels.
    Fusion fusion = Fusion::fused;
    bool flash_attention = true;
    int flash_version = 2;       // FlashAttention version: 1, 2, or 3, which also models cuDNN's fused attention
    bool fp8_attention = false;  // with quantised products: attention's own products are in 1 byte, too (Transformer
                                 // Engine's fp8_dot_product_attention)
    bool fp8_logits = false;     // with quantised products: the logits', too (Megatron Core's fp8_output_proj)
    CudaGraphs cuda_graphs = CudaGraphs::none;
    bool grouped_experts = true;  // one kernel computes the products of all experts of a rank, and one quantises their
                                  // inputs; otherwise one for each expert

    bool fused_accumulation = true;  // weight-gradient GEMMs accumulate into the sum over micro-batches (Megatron-LM
                                     // from 2022 on: gradient accumulation fusion); otherwise a separate kernel adds
                                     // them, as in all loops but Megatron's

    // Overlap of communication with computation.
    bool overlap_gradients = true;         // reduced during the last micro-batch's backward pass
    bool overlap_parameters = true;        // gathered during the first forward pass (zero = 3: one layer ahead)
    bool overlap_weight_gradients = true;  // tensor-parallel collectives overlap with weight gradients
    bool overlap_tensor = false;           // tensor-parallel collectives overlap with GEMMs
    bool overlap_pipeline = true;          // messages between stages are sent while the stage continues to compute
    bool overlap_experts = false;          // experts' dispatch and combine overlap with another micro-batch

    // The number of first micro-batches whose output-layer weight gradient is deferred to the end of the last stage's
    // passes, when that stage would otherwise wait for the others (Megatron-LM's defer_embedding_wgrad_compute,
    // wgrad_deferral_limit).
    int deferred_output_wgrads = 0;

    // Communication.
    ContextExchange context_exchange = ContextExchange::p2p;
    int ulysses = 0;                       // a2a_p2p: context-parallel ranks that exchange heads; the rest is a ring
    bool balanced_context = true;          // causal attention is balanced over cp
    double capacity_factor = 0;            // experts drop visits beyond this multiple of the mean; 0: they drop none
    bool dispatch_by_node = true;          // a token goes to each node once, however many of its experts are there
    bool scatter_gather = true;            // messages between stages are split over the network cards of tp
    bool reduce_each_micro_batch = false;  // zero = 2 with stages: reduces every micro-batch and keeps only a shard of
                                           // the gradient sum; otherwise keeps whole sums and reduces once per chunk
    int outer_every = 0;                   // DiLoCo: copies of shards are workers that average their parameters once in
                                           // this many steps, and sum no gradients; 0: they sum gradients in every step
    bool reshard_after_forward = true;     // zero = 3: parameters are gathered again for the backward pass
    int gathers_per_layer = 1;             // zero = 3: collectives per layer (DeepSpeed: one per tensor)
    int reductions_per_layer = 1;          // the same for gradients
    bool per_rank_tensors = false;         // zero = 3: collectives take a list with one tensor per rank, which the host
                                           // copies one by one (DeepSpeed of 2021)
    bool offload_optimizer = false;        // optimizer states and the update are on the host
    int offloaded_layers = 0;  // this many first layers keep their activations in host memory between the passes and
                               // copy them beside the next layer's computation (Megatron-LM's
                               // cpu_offloading_num_layers)

    // Whether selective recomputation has modules other than the default.
    bool names_modules() const { return recompute_modules != LayerModules{LayerModule::core_attention}; }

    friend bool operator==(const Framework&, const Framework&) = default;
};

const char* name_of(TrainingLoop loop);
const char* name_of(Recompute recompute);
const char* name_of(Fusion fusion);
const char* name_of(CudaGraphs graphs);
const char* name_of(ContextExchange exchange);

}  // namespace sim::training
