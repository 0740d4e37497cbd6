// The operators are what a transformer layer does for one micro-batch on one rank, in the order of the forward pass:
// sizes, FLOPs and bytes, and the weights that they need. They are a pure function of the model and the layout.
//
// A layer is told here alone. Its parameters and the model's FLOPs (parameters.hpp), and the bytes that it keeps
// (memory/layer_bytes.hpp), are sums over these lists.
//
// Sources: Korthikanti et al. 2022 (tensor and sequence parallelism), Liu et al. 2023 (ring attention over context
// parallel ranks), Lepikhin et al. 2020 (expert dispatch).
#pragma once

#include "libsim/op.hpp"
#include "libsim/training/kernel_time.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

#include <optional>
#include <vector>

namespace sim::training {

enum class OperatorKind : std::uint8_t {
    gemm,          // a linear layer
    grouped_gemm,  // experts: `gemm.batch` of them
    scores,        // attention without flash attention: scores and values, `gemm.batch` heads
    flash,         // attention in one kernel
    memory,        // whatever only reads and writes
    tensor,        // a collective of the tensor-parallel group
    context,       // keys and values go round the context-parallel group, beside the attention before it in the list
    expert,        // all-to-all of tokens over the expert-parallel group; with a collective: over expert_tp
};

// The numbers of a checkpoint that an operator needs: those of the whole layer, however it is laid out.
struct Weights {
    std::int64_t matrix = 0;  // a token is multiplied with them: of one expert
    std::int64_t biases = 0;  // and what else is added to a product, or to a softmax: of one expert
    std::int64_t norms = 0;   // of norms, also within attention
    int experts = 1;          // that have as many each
    int visited = 1;          // by one token
    bool everywhere = false;  // each tensor-parallel rank has all of them, not its part
};

// The bytes of one micro-batch that lie in a rank's memory because of an operator. What several operators read is
// counted once, with the one that makes it; or, where repeating that one would not drop it, with one that reads it.
struct OperatorBytes {
    double input = 0;          // of what the block was given: kept, whatever is recomputed
    double values = 0;         // kept from the forward pass to the backward pass, unless the operator is recomputed
    double chosen = 0;         // kept in their place where PyTorch's policy chooses by operators (recomputation.hpp)
    double weight_inputs = 0;  // between both halves of a split backward pass: a product's input, its result's gradient
    double gradients = 0;      // while the backward pass of attention runs, or that of the feed-forward part
};

struct Operator {
    const char* name = "";
    OperatorKind kind = OperatorKind::memory;
    Gemm gemm = {};            // gemm, grouped_gemm, scores
    double forward_flops = 0;  // per rank; a multiplication and an addition are 2
    double backward_flops = 0;
    double forward_bytes = 0;  // memory: read and written. Collectives: of the whole result (or input)
    double backward_bytes = 0;
    double forward_kernels = 1;
    double backward_kernels = 1;
    double heads = 0;                                       // flash: of all sequences of the micro-batch, on this rank
    double head_dim = 0;                                    // flash: of the values
    double keys = 0;                                        // flash: that a query meets in one kernel, on average
    std::optional<CollectiveKind> forward_collective = {};  // tensor; expert: none means the all-to-all
    std::optional<CollectiveKind> backward_collective = {};
    bool hides_behind_weights = false;  // backward: it runs beside the weight gradient of the product that follows it
    Format format = Format::products;   // gemm: whether it is quantised where a training's products are
    bool waits_for_routing = false;     // its sizes are known when tokens are routed: no partial CUDA graph holds it
    LayerModules modules = {};          // that it is a part of
    Weights weights = {};
    OperatorBytes bytes = {};
    double pair_width = 0;  // attention: multiplications for each query and key that meet, in all heads of this rank
};

// Layers beyond the model's own are those of multi-token prediction.
std::vector<Operator> layer_operators(const Transformer& model, const Layout& layout, int layer);
// Before the first layer, and after the last one: logits and the loss.
std::vector<Operator> embedding_operators(const Transformer& model, const Layout& layout);
// A layer of multi-token prediction, without its embedding and output: norms of state and embedding, the product that
// joins them, the layer, and its final norm. `number` from 0.
std::vector<Operator> prediction_operators(const Transformer& model, const Layout& layout, int number);
// The same without the layer.
std::vector<Operator> join_operators(const Transformer& model, const Layout& layout);
std::vector<Operator> output_operators(const Transformer& model, const Layout& layout);

}  // namespace sim::training
