// An operator list is built from the parts of a layer: each appends its operators, in the order of the forward pass.
#pragma once

#include "libsim/training/activation_sizes.hpp"
#include "libsim/training/operators.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace sim::training {

// The sizes that the operators of a layer depend on.
struct OperatorSizes {
    const Transformer& model;
    const Layout& layout;
    double tokens;      // of a micro-batch on this rank, between the tensor-parallel collectives
    double own_tokens;  // the share of them that this rank's norms and residuals process
    double tp;
    double
        head_ranks;  // of context parallelism: each has this fraction of a rank's heads, and as many times its tokens
    double ring_ranks;   // and the parts of the sequence whose keys and values it gets
    double element;      // bytes of an activation
    double kept_input;   // … kept as a product's input
    double kv_heads;     // on this rank; replicated if there are fewer than tp
    double query_width;  // values per token on this rank: of all its heads' queries, keys, values, and results
    double key_width;
    double value_width;
    double result_width;
    double stream;  // … of the hidden state, between tensor-parallel regions
    bool eager;
    bool compiled;

    OperatorSizes(const Transformer& m, const Layout& l)
        : model(m),
          layout(l),
          tokens(tokens_of(m, l)),
          own_tokens(tokens / spread_between(l)),
          tp(l.parallelism.tp),
          head_ranks(l.head_ranks()),
          ring_ranks(l.ring_ranks()),
          element(element_bytes(l)),
          kept_input(kept_input_bytes(l)),
          kv_heads(std::max(1.0, static_cast<double>(m.kv_heads) / l.parallelism.tp)),
          query_width(static_cast<double>(m.query_width()) / tp),
          key_width(kv_heads * static_cast<double>(m.key_width()) / std::max(1, m.kv_heads)),
          value_width(kv_heads * static_cast<double>(m.value_width()) / std::max(1, m.kv_heads)),
          result_width(static_cast<double>(m.output_width()) / tp),
          stream(m.hidden / spread_between(l)),
          eager(l.framework.fusion == Fusion::eager),
          compiled(l.framework.fusion == Fusion::compiled) {}

    // Bytes of `values` values per token, and of as many kept as a product's inputs.
    double bytes(double values) const { return element * tokens * values; }
    double input_bytes(double values) const { return kept_input * tokens * values; }
};

// The operators of a layout with adapters, made from those without (adapted.cpp). Operators that already are stay.
std::vector<Operator> with_adapters(std::vector<Operator> operators, const Layout& layout);

// Collectives are added only if their group has more than one rank. References to operators are valid until the next
// add.
class OperatorList {
public:
    explicit OperatorList(const OperatorSizes& sizes) : sizes_(sizes) { list_.reserve(longest); }

    std::vector<Operator> take() { return with_adapters(std::move(list_), sizes_.layout); }

    // Linear layers: column-parallel, row-parallel, and replicated on every rank, which processes its own tokens.
    Operator& columns(const char* name, std::int64_t outputs, std::int64_t inputs) {
        return columns(name, outputs, inputs, static_cast<double>(outputs) / sizes_.tp);
    }
    // Column-parallel, with more outputs on a rank than 1 / tp.
    Operator& columns(const char* name, std::int64_t outputs, std::int64_t inputs, double outputs_of_rank) {
        const Gemm gemm{sizes_.tokens, outputs_of_rank, static_cast<double>(inputs)};
        return product(name, gemm, {.matrix = outputs * inputs, .biases = biases(outputs)});
    }
    Operator& rows(const char* name, std::int64_t outputs, std::int64_t inputs) {
        const Gemm gemm{sizes_.tokens, static_cast<double>(outputs), static_cast<double>(inputs) / sizes_.tp};
        return product(name, gemm, {.matrix = outputs * inputs, .biases = biases(outputs)});
    }
    Operator& everywhere(const char* name, double tokens, std::int64_t outputs, std::int64_t inputs) {
        const Gemm gemm{tokens, static_cast<double>(outputs), static_cast<double>(inputs)};
        return product(name, gemm, {.matrix = outputs * inputs, .everywhere = true});
    }
    // Grouped products of experts.
    Operator& experts(const char* name, const Gemm& gemm, std::int64_t outputs, std::int64_t inputs) {
        const Experts& all = sizes_.model.experts;
        Operator& op = product(
            name, gemm,
            {.matrix = outputs * inputs, .biases = biases(outputs), .experts = all.count, .visited = all.top_k});
        op.kind = OperatorKind::grouped_gemm;
        return op;
    }
    Operator& product(const char* name, const Gemm& gemm, const Weights& weights) {
        Operator op{.name = name, .kind = OperatorKind::gemm, .gemm = gemm};
        op.forward_flops = gemm.flops();
        op.backward_flops = 2 * op.forward_flops;
        op.weights = weights;
        return add(op);
    }

    // Elements per pass of the fused form, forward and backward, and the number of kernels.
    struct Passes {
        double forward = 0;
        double backward = 0;
        double forward_kernels = 1;
        double backward_kernels = 1;
    };
    Operator& memory(const char* name, double elements, const Passes& passes) {
        return add({.name = name,
                    .kind = OperatorKind::memory,
                    .forward_bytes = passes.forward * elements * sizes_.element,
                    .backward_bytes = passes.backward * elements * sizes_.element,
                    .forward_kernels = passes.forward_kernels,
                    .backward_kernels = passes.backward_kernels});
    }

    // Collectives into a column-parallel product and out of a row-parallel one, of vectors as wide as the hidden state.
    void tensor_in() { tensor_in(sizes_.model.hidden); }
    void tensor_in(double width) {
        if (sizes_.layout.parallelism.tp == 1) {
            return;
        }
        const bool sp = sizes_.layout.parallelism.sequence_parallel;
        collective(sp ? "all-gather of activations" : "all-reduce of gradients",
                   sp ? std::optional(CollectiveKind::all_gather) : std::nullopt,
                   sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, true, width);
    }
    void tensor_out() { tensor_out(sizes_.model.hidden); }
    void tensor_out(double width) {
        if (sizes_.layout.parallelism.tp == 1) {
            return;
        }
        const bool sp = sizes_.layout.parallelism.sequence_parallel;
        collective(sp ? "reduce-scatter of activations" : "all-reduce of activations",
                   sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                   sp ? std::optional(CollectiveKind::all_gather) : std::nullopt, false, width);
    }

    // Gathers a column-parallel product's result on all ranks; with sequence parallelism each keeps its own tokens,
    // whose gradients come from all ranks.
    void gather_columns() {
        if (sizes_.layout.parallelism.tp > 1) {
            const bool sp = sizes_.layout.parallelism.sequence_parallel;
            collective("all-gather of columns", CollectiveKind::all_gather,
                       sp ? std::optional(CollectiveKind::all_gather) : std::nullopt, false, sizes_.model.hidden);
        }
    }

    // Exchanges values of `width` per token between `ranks`: all heads of a rank's tokens for some heads of all tokens
    // of the group, or back. The gradients take the opposite way.
    void exchange_of_heads(const char* name, double ranks, double width) {
        if (ranks > 1) {
            add({.name = name,
                 .kind = OperatorKind::context,
                 .forward_bytes = sizes_.bytes(width),
                 .backward_bytes = sizes_.bytes(width),
                 .forward_collective = CollectiveKind::all_to_all,
                 .backward_collective = CollectiveKind::all_to_all,
                 .bytes = {.gradients = sizes_.bytes(width)}});  // sent ones beside the received ones
        }
    }

    // Without sequence parallelism all tensor-parallel ranks have the same tokens: each dispatches its share of them to
    // the experts, and the results are gathered (DeepSpeed-MoE's drop_tokens and gather_tokens).
    void part_of_tokens() { whole_tokens("all-gather of tokens' gradients", {}, CollectiveKind::all_gather); }
    void parts_together() { whole_tokens("all-gather of tokens", CollectiveKind::all_gather, {}); }

    Operator& add(const Operator& op) {
        list_.push_back(op);
        return list_.back();
    }
    std::size_t size() const { return list_.size(); }
    // Marks all operators from `first` on.
    void mark_as_routed(std::size_t first) {
        for (std::size_t at = first; at < list_.size(); ++at) {
            list_[at].waits_for_routing = true;
        }
    }

    void mark_as(LayerModule module, std::size_t first) {
        for (std::size_t at = first; at < list_.size(); ++at) {
            list_[at].modules |= module;
        }
    }

private:
    static constexpr std::size_t longest = 40;  // of a list, to avoid reallocation

    std::int64_t biases(std::int64_t outputs) const { return sizes_.model.biases ? outputs : 0; }

    void whole_tokens(const char* name, std::optional<CollectiveKind> forward, std::optional<CollectiveKind> backward) {
        if (sizes_.layout.parallelism.tp > 1 && !sizes_.layout.parallelism.sequence_parallel) {
            collective(name, forward, backward, false, sizes_.model.hidden);
        }
    }
    void collective(const char* name, std::optional<CollectiveKind> forward, std::optional<CollectiveKind> backward,
                    bool hides, double width) {
        const double bytes = sizes_.tokens * width * sizes_.element;
        list_.push_back({.name = name,
                         .kind = OperatorKind::tensor,
                         .forward_bytes = bytes,
                         .backward_bytes = bytes,
                         .forward_collective = forward,
                         .backward_collective = backward,
                         .hides_behind_weights = hides});
    }

    const OperatorSizes& sizes_;
    std::vector<Operator> list_;
};

Operator& add_norm(OperatorList& list, const OperatorSizes& sizes);
// From the normed input to the product that is reduced over tensor-parallel ranks. In attention.cpp.
void add_attention(OperatorList& list, const OperatorSizes& sizes, int layer);
// The same for attention of the decoder to the encoder's result. In cross_attention.cpp.
void add_cross_attention(OperatorList& list, const OperatorSizes& sizes);
// Parts of layers with inputs of their own, and what they need before the first layer and after the last one. In
// per_layer_inputs.cpp.
void add_predicted_streams(OperatorList& list, const OperatorSizes& sizes);
void add_low_rank_residual(OperatorList& list, const OperatorSizes& sizes);
void add_corrected_streams(OperatorList& list, const OperatorSizes& sizes);
void add_per_layer_tables(OperatorList& list, const OperatorSizes& sizes);
void add_sum_of_streams(OperatorList& list, const OperatorSizes& sizes);
// The same for linear attention. In linear_attention.cpp.
void add_linear_attention(OperatorList& list, const OperatorSizes& sizes);
// The index of sparse attention: its projections, the scores of all pairs, the choice of keys, and its loss. In
// sparse_index.cpp.
void add_sparse_index(OperatorList& list, const OperatorSizes& sizes);
// The same for a dense feed-forward part of width `width`. Shared experts have the input and the output gradient of all
// experts. In feed_forward.cpp.
enum class FeedForward : std::uint8_t { of_layer, shared_experts };
void add_dense_ffn(OperatorList& list, const OperatorSizes& sizes, FeedForward which, std::int64_t width);
// From the router to the shared experts. In feed_forward.cpp.
void add_experts(OperatorList& list, const OperatorSizes& sizes);

}  // namespace sim::training
