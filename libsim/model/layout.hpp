// How a training step is spread over GPUs, and what is traded for what in it.
//
// Ranks are numbered as Megatron-LM does: tensor parallel fastest, then context, data, pipeline. Expert parallel
// groups are taken out of data x context x tensor: ep * expert_tp divides dp * cp * tp.
#pragma once

#include "libsim/parallel/pipeline/schedules.hpp"

#include <cstdint>

namespace sim::model {

// What is dropped after the forward pass and computed again in the backward pass.
enum class Recompute : std::uint8_t {
    none,
    selective,  // the attention's scores (Korthikanti et al. 2022); with flash attention they are never kept. In FSDP
                // of PyTorch: all but attention and every second product
    full,       // whole layers: only their inputs are kept
};

enum class Precision : std::uint8_t { fp32, fp16, bf16, fp8 };

enum class Optimizer : std::uint8_t { adam, sgd };

// How the small kernels between the GEMMs are made.
enum class Fusion : std::uint8_t {
    eager,  // one kernel per operation
    fused,  // hand-written ones for bias + activation, bias + dropout + residual, scale + mask + softmax (Megatron-LM)
    compiled,  // torch.compile
};

// Whose training loop it is, where that decides what a step keeps in memory. zero = 3 is PyTorch's FSDP unless it is
// DeepSpeed's.
enum class Framework : std::uint8_t { megatron, deepspeed, torch };

struct Layout {
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int cp = 1;
    int ep = 1;
    int expert_tp = 1;  // tensor parallel within an expert

    int micro_batch = 1;   // sequences
    int global_batch = 1;  // sequences of a step, over all of dp

    KnownSchedule schedule;         // of the pipeline
    int interleave = 1;             // chunks of the model per stage
    int drop_last_layers = 0;       // layers that the first and the last stage have fewer than the others, each

    // 1: optimizer states, 2: gradients too, 3: parameters too are spread over dp x cp (ZeRO; 3 is FSDP full shard).
    int zero = 0;

    Recompute recompute = Recompute::none;
    Precision precision = Precision::bf16;
    Optimizer optimizer = Optimizer::adam;
    Fusion fusion = Fusion::fused;

    bool sequence_parallel = false;  // activations between tensor-parallel regions are spread over tp
    bool fp8_rowwise = false;        // fp8 is scaled by rows, not by whole tensors
    bool flash_attention = true;
    int flash_version = 2;           // of FlashAttention: 1, 2, or 3, which stands for cuDNN's fused attention, too
    bool fp32_gradients = true;      // accumulated and reduced in 4 bytes, otherwise in the precision of the parameters
    bool overlap_gradients = true;   // reduced while the last micro-batch's backward pass goes on
    bool overlap_parameters = true;  // gathered while the first forward pass goes on (zero = 3: one layer ahead)
    bool overlap_weight_gradients = true;  // tensor parallelism's collectives run beside weight gradients
    bool overlap_tensor = false;           // collectives of tensor parallelism are hidden behind GEMMs
    bool overlap_pipeline = true;          // messages between stages leave while the stage computes on
    bool balanced_context = true;          // causal attention is spread evenly over cp
    bool dispatch_by_node = true;          // a token goes to each node once, however many of its experts are there
    bool scatter_gather = true;            // messages between stages are split over tp's network cards
    bool reshard_after_forward = true;     // zero = 3: parameters are gathered again for the backward pass
    int gathers_per_layer = 1;             // zero = 3: in so many collectives (DeepSpeed: tensor by tensor)
    bool offload_optimizer = false;        // states and the update are the host's
    Framework framework = Framework::megatron;

    int ranks() const { return dp * tp * pp * cp; }
    // Per pipeline. Requires: check_layout() accepted it.
    int micro_batches() const { return global_batch / (dp * micro_batch); }
    PipelineShape pipeline_shape() const { return {pp, micro_batches(), interleave}; }
    // Over how many ranks parameters of dense layers and of experts are replicated, or spread by zero.
    int replicas() const { return dp * cp; }
    int expert_replicas() const { return dp * cp * tp / (ep * expert_tp); }

    friend bool operator==(const Layout&, const Layout&) = default;
};

const char* name_of(Recompute recompute);
const char* name_of(Precision precision);
const char* name_of(Optimizer optimizer);
const char* name_of(Fusion fusion);
const char* name_of(Framework framework);

}  // namespace sim::model
