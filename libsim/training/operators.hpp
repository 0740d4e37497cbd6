// Operators describe what a transformer layer does for one micro-batch on one rank, in the order of the forward pass:
// sizes, FLOPs, bytes and weights. They are a pure function of the model and the layout.
//
// A layer is described only here. Its parameters and the model's FLOPs (parameters.hpp), and the bytes that it keeps
// (memory/layer_bytes.hpp), are sums over these lists.
//
// Sources: Korthikanti et al. 2022 (tensor and sequence parallelism), Liu et al. 2023 (ring attention over context
// parallel ranks), Jacobs et al. 2023 (DeepSpeed-Ulysses' all-to-all of heads: arXiv 2309.14509), Lepikhin et al. 2020
// (expert dispatch).
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
    scan,          // linear attention
    memory,        // memory-bound kernels
    tensor,        // a collective of the tensor-parallel group
    context,       // of context parallelism: a ring exchange of keys and values beside the attention before it in the
                   // list, or a collective
    expert,        // all-to-all of tokens over the expert-parallel group; with a collective: over expert_tp
};

// The rows that a matrix multiplies.
enum class Rows : std::uint8_t { tokens, samples, encoded };  // encoded: tokens of the encoder, in the decoder

// The checkpoint's numbers that an operator needs: those of the whole layer, independent of the layout.
struct Weights {
    std::int64_t matrix = 0;  // multiplied by each token; of one expert
    std::int64_t biases = 0;  // and anything else added to a product or to a softmax; of one expert
    std::int64_t norms = 0;   // of norms, including those within attention
    int experts = 1;          // number of experts with as many each
    int visited = 1;          // of them, by one token
    bool everywhere = false;  // every tensor-parallel rank has all of them, not a shard
    Rows rows = Rows::tokens;
};

// The bytes of one micro-batch that a rank keeps because of an operator. A value that several operators read is counted
// once, with the operator that produces it; or, if recomputing that one would not drop the value, with one that reads
// it.
struct OperatorBytes {
    double input = 0;          // the block's own input: kept whatever is recomputed
    double values = 0;         // kept from the forward to the backward pass, unless the operator is recomputed
    double chosen = 0;         // kept instead if PyTorch's policy selects by operators (recomputation.hpp)
    double weight_inputs = 0;  // between the halves of a split backward pass: a product's input and its output gradient
    double gradients = 0;      // during the backward pass of attention, or of the feed-forward part
};

// Which of an operator's weights are trained.
enum class Trained : std::uint8_t {
    whole,       // all
    frozen,      // none
    as_adapter,  // all: it is half of an adapter, and `weights` counts none of its numbers
};

struct Operator {
    const char* name = "";
    OperatorKind kind = OperatorKind::memory;
    Trained weights_are = Trained::whole;
    bool keeps_input = false;        // bytes.values are only for the gradients of weights of the products that follow,
                                     // or include as much for the product's own
    std::uint8_t further_parts = 0;  // gemm, grouped_gemm: matrices that the product computes besides the first,
    float first_part = 0;            // whose gemm.n is this; the others have equal shares of the rest
    float product_share = 0;         // scan: of the matrix units' peak; 0: its products hide behind its traffic
    int forward_turns = 0;           // scan: loads and products that wait for each other, from chunk to chunk
    int backward_turns = 0;
    Gemm gemm = {};            // gemm, grouped_gemm, scores
    double forward_flops = 0;  // per rank; a multiplication and an addition are 2 FLOPs
    double backward_flops = 0;
    double forward_bytes = 0;  // memory, scan: read and written; collectives: of the whole result (or input)
    double backward_bytes = 0;
    double forward_kernels = 1;
    double backward_kernels = 1;
    double heads = 0;     // flash: on this rank, over the whole micro-batch
    double head_dim = 0;  // flash: of the values
    double keys = 0;      // flash: keys per query in one kernel, on average
    double all_keys = 0;  // flash: the same without the layer's window; 0: it has none
    // tensor, context, expert; none for expert: the all-to-all; none in both passes for context: the ring
    std::optional<CollectiveKind> forward_collective = {};
    std::optional<CollectiveKind> backward_collective = {};
    bool hides_behind_weights = false;  // backward: it runs beside the weight gradient of the product that follows it
    Format format = Format::products;   // gemm: whether it is quantised in quantised training
    bool waits_for_routing = false;     // its sizes are known only after routing: not in a partial CUDA graph
    LayerModules modules = {};          // the modules that it belongs to
    Weights weights = {};
    OperatorBytes bytes = {};
    // Multiplications over all heads of this rank that no matrix of weights does: per attended pair of query and key,
    // per pair of any token and one before it (the index of sparse attention), per pair of a token and one of the
    // encoder, and per token (convolutions, scans).
    double pair_width = 0;
    double index_width = 0;
    double cross_width = 0;
    double token_width = 0;

    bool is_ring() const { return kind == OperatorKind::context && !forward_collective && !backward_collective; }
};

// gemm.n of the first matrix of a product, and of each further one, if there are any.
inline double first_outputs(const Operator& op) {
    return op.further_parts == 0 ? op.gemm.n : static_cast<double>(op.first_part);
}
inline double further_outputs(const Operator& op) {
    return (op.gemm.n - first_outputs(op)) / op.further_parts;
}

// Layers after the model's own are those of multi-token prediction.
std::vector<Operator> layer_operators(const Transformer& model, const Layout& layout, int layer);
// Operators before the first layer; output_operators() are those after the last one: logits and the loss.
std::vector<Operator> embedding_operators(const Transformer& model, const Layout& layout);
// A layer of multi-token prediction, without its embedding and output: norms of state and embedding, the product that
// joins them, the layer, and its final norm. `number` counts from 0.
std::vector<Operator> prediction_operators(const Transformer& model, const Layout& layout, int number);
// The same without the layer.
std::vector<Operator> join_operators(const Transformer& model, const Layout& layout);
std::vector<Operator> output_operators(const Transformer& model, const Layout& layout);
// The projector of a model's tower, from the tower's result to tokens; `layout` is the tower's (tower.hpp).
std::vector<Operator> projector_operators(const Transformer& model, const Layout& layout);

}  // namespace sim::training
