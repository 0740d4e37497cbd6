#include "libsim/training/operators.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

constexpr double single = 4;  // bytes of a logit

// The sizes that all operators of a layer hang on.
struct Sizes {
    const Transformer& model;
    const Layout& layout;
    double tokens;      // of a micro-batch on this rank, between the tensor-parallel collectives
    double own_tokens;  // of them that norms and residuals of this rank see
    double tp;
    double element;    // bytes of an activation
    double kv_heads;   // on this rank: fewer than tp are replicated
    double key_width;  // of them
    double value_width;
    bool eager;
    bool compiled;

    Sizes(const Transformer& m, const Layout& l)
        : model(m),
          layout(l),
          tokens(static_cast<double>(l.batch.micro) * m.sequence / l.parallelism.cp),
          own_tokens(l.parallelism.sequence_parallel ? tokens / l.parallelism.tp : tokens),
          tp(l.parallelism.tp),
          element(row_of(l.numerics.precision).element_bytes),
          kv_heads(std::max(1.0, static_cast<double>(m.kv_heads) / l.parallelism.tp)),
          key_width(kv_heads * static_cast<double>(m.key_width()) / std::max(1, m.kv_heads)),
          value_width(kv_heads * static_cast<double>(m.value_width()) / std::max(1, m.kv_heads)),
          eager(l.framework.fusion == Fusion::eager),
          compiled(l.framework.fusion == Fusion::compiled) {}
};

class Operators {
public:
    explicit Operators(const Sizes& sizes) : sizes_(sizes) {}

    std::vector<Operator> take() { return std::move(list_); }

    void linear(const char* name, double outputs, double inputs, Format format = Format::products) {
        linear_of(sizes_.tokens, name, outputs, inputs, format);
    }
    void linear_of(double tokens, const char* name, double outputs, double inputs, Format format = Format::products) {
        Operator op{.name = name, .kind = OperatorKind::gemm, .gemm = {tokens, outputs, inputs}};
        op.format = format;
        op.forward_flops = op.gemm.flops();
        op.backward_flops = 2 * op.forward_flops;
        list_.push_back(op);
    }

    // Elements per pass of the fused form, forward and backward, and how many kernels they take.
    struct Passes {
        double forward = 0;
        double backward = 0;
        double forward_kernels = 1;
        double backward_kernels = 1;
    };
    void memory(const char* name, double elements, const Passes& passes, bool core = false) {
        list_.push_back({.name = name,
                         .kind = OperatorKind::memory,
                         .forward_bytes = passes.forward * elements * sizes_.element,
                         .backward_bytes = passes.backward * elements * sizes_.element,
                         .forward_kernels = passes.forward_kernels,
                         .backward_kernels = passes.backward_kernels,
                         .is_attention_core = core});
    }

    // Into a column-parallel product, and out of a row-parallel one, of vectors of a width: the hidden state's.
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
    void tensor_out() {
        if (sizes_.layout.parallelism.tp == 1) {
            return;
        }
        const bool sp = sizes_.layout.parallelism.sequence_parallel;
        collective(sp ? "reduce-scatter of activations" : "all-reduce of activations",
                   sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                   sp ? std::optional(CollectiveKind::all_gather) : std::nullopt, false, sizes_.model.hidden);
    }

    // The parts of a column-parallel product's result, to all ranks; with sequence parallelism each keeps its tokens,
    // whose gradients come from all.
    void gather_columns() {
        if (sizes_.layout.parallelism.tp > 1) {
            const bool sp = sizes_.layout.parallelism.sequence_parallel;
            collective("all-gather of columns", CollectiveKind::all_gather,
                       sp ? std::optional(CollectiveKind::all_gather) : std::nullopt, false, sizes_.model.hidden);
        }
    }

    // Without sequence parallelism, each tensor-parallel rank takes its part of the tokens, which all have, to the
    // experts; and the parts of all come back (DeepSpeed-MoE's drop_tokens and gather_tokens).
    void part_of_tokens() { whole_tokens("all-gather of tokens' gradients", {}, CollectiveKind::all_gather); }
    void parts_together() { whole_tokens("all-gather of tokens", CollectiveKind::all_gather, {}); }

    void add(const Operator& op) { list_.push_back(op); }
    std::size_t size() const { return list_.size(); }
    // All from this one on.
    void mark_as_routed(std::size_t first) {
        for (std::size_t at = first; at < list_.size(); ++at) {
            list_[at].waits_for_routing = true;
        }
    }

private:
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

    const Sizes& sizes_;
    std::vector<Operator> list_;
};

void add_norm(Operators& list, const Sizes& sizes) {
    const bool many = sizes.eager && !sizes.model.norm_biases;  // RMSNorm in eager mode is a handful of kernels in fp32
    list.memory("norm", sizes.own_tokens * sizes.model.hidden,
                many ? Operators::Passes{12, 20, 6, 8} : Operators::Passes{2, 3.5, 1, 2});
}

void add_residual(Operators& list, const Sizes& sizes) {
    const bool dropout = sizes.model.biases;
    Operators::Passes passes{3, 2, 1, 1};
    if (sizes.eager) {
        passes = dropout ? Operators::Passes{7.5, 5, 3, 3} : Operators::Passes{3, 2, 1, 1};
    } else if (sizes.compiled) {
        passes = {2, 1, 0.5, 0.5};  // with the norm that follows
    } else if (dropout) {
        passes = {3.5, 2.5, 1, 2};
    }
    list.memory("residual", sizes.own_tokens * sizes.model.hidden, passes);
}

// How many keys a query meets: half of them where later ones are masked and the kernel leaves them out.
double keys_of(const Sizes& sizes, int layer) {
    const double all = sizes.model.sequence;
    const double window = sizes.model.window_of(layer);
    if (!sizes.layout.framework.flash_attention) {
        return all;
    }
    if (!sizes.model.causal) {
        return all;
    }
    return window < all ? window - window * window / (2 * all) : all / 2;
}

// Where each rank has one stretch of a causal sequence, the last one's has nearly all keys before it, and all wait for
// it in every round: twice the work, but for the round of its own.
double unevenness(const Sizes& sizes) {
    const double ranks = sizes.layout.parallelism.cp;
    const bool even = ranks == 1 || sizes.layout.framework.balanced_context || !sizes.model.causal;
    return even ? 1 : (2 * ranks - 1) / ranks;
}

void add_core(Operators& list, const Sizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    const double heads = model.heads / sizes.tp;
    const double key_dim = static_cast<double>(model.query_width()) / model.heads;
    const double value_dim = static_cast<double>(model.value_width()) / std::max(1, model.kv_heads);
    const double keys = keys_of(sizes, layer) * unevenness(sizes);
    if (sizes.layout.framework.flash_attention) {
        Operator op{.name = "flash attention", .kind = OperatorKind::flash};
        op.forward_flops = 2 * sizes.tokens * keys * heads * (key_dim + value_dim);
        op.backward_flops = 2.5 * op.forward_flops;
        op.heads = heads * sizes.layout.batch.micro;
        op.head_dim = (key_dim + value_dim) / 2;
        op.tokens = model.sequence / static_cast<double>(sizes.layout.parallelism.cp);
        op.is_attention_core = true;
        list.add(op);
    } else {
        const double batch = heads * sizes.layout.batch.micro;
        const double queries = static_cast<double>(model.sequence) / sizes.layout.parallelism.cp;
        const auto product = [&](const char* name, double n, double k) {
            Operator op{.name = name, .kind = OperatorKind::scores, .gemm = {queries, n, k, batch}};
            op.forward_flops = op.gemm.flops();
            op.backward_flops = 2 * op.forward_flops;
            op.is_attention_core = true;
            list.add(op);
        };
        product("scores", keys, key_dim);
        list.memory("softmax and dropout", batch * queries * keys,
                    sizes.eager ? Operators::Passes{9.5, 9.5, 4, 4} : Operators::Passes{4.5, 5.5, 2, 2}, true);
        product("values", value_dim, keys);
    }
    if (sizes.layout.parallelism.cp > 1) {
        // Each round's result is added to those before, in 4 bytes, with the sums of both softmaxes.
        const double rounds = sizes.layout.parallelism.cp - 1;
        list.memory("merging of partial attention", rounds * sizes.tokens * heads * value_dim,
                    {6, 4, 2 * rounds, 2 * rounds});
        const double width = sizes.key_width + sizes.value_width;
        list.add({.name = "keys and values",
                  .kind = OperatorKind::context,
                  .forward_bytes = sizes.tokens * width * sizes.element,
                  .backward_bytes = 2 * sizes.tokens * width * sizes.element});
    }
}

void add_projections(Operators& list, const Sizes& sizes) {
    const Transformer& model = sizes.model;
    const double heads = model.heads / sizes.tp;
    if (!model.latent) {
        const double queries = static_cast<double>(model.query_width()) / sizes.tp;
        list.tensor_in();
        list.linear("query, key, value", queries + sizes.key_width + sizes.value_width, model.hidden);
        return;
    }
    const LatentAttention& latent = *model.latent;
    const double query_dim = latent.plain_dim + latent.rotary_dim;
    // The way down has its weights on every rank, which takes its own tokens through it; small vectors are gathered.
    if (latent.query_rank > 0) {
        list.linear_of(sizes.own_tokens, "query down", latent.query_rank, model.hidden);
        list.tensor_in(latent.query_rank);
        list.linear("query up", heads * query_dim, latent.query_rank);
    } else {
        list.tensor_in();
        list.linear("query", heads * query_dim, model.hidden);
    }
    list.linear_of(sizes.own_tokens, "key-value down", latent.key_value_rank + latent.rotary_dim, model.hidden);
    list.tensor_in(latent.key_value_rank + latent.rotary_dim);
    list.linear("key-value up", heads * (latent.plain_dim + latent.value_dim), latent.key_value_rank);
    list.memory("latent norms", sizes.own_tokens * (latent.query_rank + latent.key_value_rank), {2, 3.5, 2, 4});
    list.memory("concatenation of heads", sizes.tokens * heads * query_dim, {4, 4, 3, 3});
}

// From its normed input to the product that is summed up over tensor-parallel ranks.
void add_attention(Operators& list, const Sizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    add_projections(list, sizes);
    if (model.rotary) {
        const double queries = static_cast<double>(model.query_width()) / sizes.tp;
        const double elements = sizes.tokens * (queries + sizes.key_width);
        list.memory("rotary positions", elements,
                    sizes.eager ? Operators::Passes{10, 10, 8, 8} : Operators::Passes{2, 2, 2, 2});
    }
    add_core(list, sizes, layer);
    const double values = model.latent ? static_cast<double>(model.latent->value_dim) * model.heads
                                       : static_cast<double>(model.head_dim) * model.heads;
    list.linear("projection", model.hidden, values / sizes.tp);
}

// A part's result, on its way to the sum.
void add_behind(Operators& list, const Sizes& sizes) {
    if (sizes.model.has_norms_behind()) {
        add_norm(list, sizes);
    }
    add_residual(list, sizes);
}

void add_activation(Operators& list, const Sizes& sizes, double elements) {
    Operators::Passes passes = sizes.model.gated ? Operators::Passes{3, 5, 1, 1} : Operators::Passes{2, 3, 1, 1};
    if (sizes.eager) {
        passes = sizes.model.gated ? Operators::Passes{5, 8, 2, 3} : Operators::Passes{2, 3, 1, 1};
    }
    if (sizes.model.biases) {
        passes.forward += sizes.eager ? 2 : 0;
        passes.forward_kernels += sizes.eager ? 1 : 0;
        passes.backward += 1;  // the bias' gradient
        passes.backward_kernels += 1;
    }
    list.memory("activation", elements, passes);
}

void add_dense_ffn(Operators& list, const Sizes& sizes, double width) {
    list.linear("up", (sizes.model.gated ? 2 : 1) * width / sizes.tp, sizes.model.hidden);
    add_activation(list, sizes, sizes.tokens * width / sizes.tp);
    list.linear("down", sizes.model.hidden, width / sizes.tp);
}

// Experts with biases (gpt-oss): Megatron Core adds those expert by expert and puts the parts together again, and its
// clamped GEGLU is a chain of PyTorch's kernels, unless the products of all experts are one kernel, which does both.
void add_biased_activation(Operators& list, const Sizes& sizes, double rows, double width, double experts) {
    const double results = sizes.model.gated ? 2 : 1;
    list.memory("experts' biases", rows * (results * width + sizes.model.hidden), {4, 3, experts, experts});
    list.memory("activation", rows * width, {19, 30, 8, 12});
}

void add_expert_activation(Operators& list, const Sizes& sizes, double rows, double width, double experts) {
    if (sizes.model.biases && !sizes.layout.framework.grouped_experts) {
        add_biased_activation(list, sizes, rows, width, experts);
    } else {
        add_activation(list, sizes, rows * width);
    }
}

void add_experts(Operators& list, const Sizes& sizes) {
    const Transformer& model = sizes.model;
    const Experts& experts = model.experts;
    const Layout& layout = sizes.layout;
    const double tokens = layout.parallelism.sequence_parallel ? sizes.own_tokens : sizes.tokens / sizes.tp;
    const double hidden = model.hidden;
    list.part_of_tokens();
    Operator router{
        .name = "router", .kind = OperatorKind::gemm, .gemm = {tokens, static_cast<double>(experts.count), hidden}};
    router.format = Format::rest;
    router.forward_flops = router.gemm.flops();
    router.backward_flops = 2 * router.forward_flops;
    list.add(router);
    list.memory("top-k", tokens * experts.count, {8, 6, 8, 6});

    const double rows = tokens * experts.top_k;
    const std::size_t routed = list.size();
    const auto dispatch = [&](const char* name) {
        if (layout.parallelism.ep > 1) {
            list.add({.name = name,
                      .kind = OperatorKind::expert,
                      .forward_bytes = rows * hidden * sizes.element,
                      .backward_bytes = rows * hidden * sizes.element});
        }
    };
    list.memory("permutation", rows * hidden, {2, 2, 2, 2});
    dispatch("dispatch");
    const auto within_experts = [&](const char* name, CollectiveKind forward, CollectiveKind backward) {
        if (layout.parallelism.expert_tp > 1) {
            const double bytes = rows * layout.parallelism.expert_tp * hidden * sizes.element;
            list.add({.name = name,
                      .kind = OperatorKind::expert,
                      .forward_bytes = bytes,
                      .backward_bytes = bytes,
                      .forward_collective = forward,
                      .backward_collective = backward});
        }
    };
    within_experts("all-gather of experts' tokens", CollectiveKind::all_gather, CollectiveKind::reduce_scatter);
    const double local = static_cast<double>(experts.count) / layout.parallelism.ep;
    const double here = rows * layout.parallelism.expert_tp / local;  // rows of each expert, balanced
    const double width = static_cast<double>(experts.ffn) / layout.parallelism.expert_tp;
    const auto product = [&](const char* name, double n, double k) {
        Operator op{.name = name, .kind = OperatorKind::grouped_gemm, .gemm = {here, n, k, local}};
        op.forward_flops = op.gemm.flops();
        op.backward_flops = 2 * op.forward_flops;
        list.add(op);
    };
    product("experts up", (model.gated ? 2 : 1) * width, hidden);
    add_expert_activation(list, sizes, here * local, width, local);
    product("experts down", hidden, width);
    within_experts("reduce-scatter of experts' results", CollectiveKind::reduce_scatter, CollectiveKind::all_gather);
    dispatch("combine");
    list.memory("unpermutation", rows * hidden, {2, 2, 2, 2});
    list.mark_as_routed(routed);
    list.parts_together();
    if (experts.shared > 0) {
        list.tensor_in();
        add_dense_ffn(list, sizes, static_cast<double>(experts.shared) * experts.ffn);
        list.tensor_out();
    }
}

void add_ffn(Operators& list, const Sizes& sizes, int layer) {
    if (sizes.model.has_experts(layer)) {
        add_experts(list, sizes);
        return;
    }
    list.tensor_in();
    add_dense_ffn(list, sizes, sizes.model.ffn);
    list.tensor_out();
}

// Both parts read the same input, their sum is reduced once, and added once. With one norm it is gathered once, too.
void add_side_by_side(Operators& list, const Sizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    const bool one_norm = model.norms_per_layer == 1;
    add_norm(list, sizes);
    add_attention(list, sizes, layer);
    if (!one_norm) {
        add_norm(list, sizes);
    }
    if (!one_norm || model.latent) {
        list.tensor_in();
    }
    add_dense_ffn(list, sizes, model.ffn);
    list.memory("sum of both parts", sizes.tokens * model.hidden, {3, 0, 1, 0});
    list.tensor_out();
    add_behind(list, sizes);
}

}  // namespace

std::vector<Operator> layer_operators(const Transformer& model, const Layout& layout, int layer) {
    const Sizes sizes(model, layout);
    Operators list(sizes);
    if (model.is_side_by_side(layer)) {
        add_side_by_side(list, sizes, layer);
    } else {
        add_norm(list, sizes);
        add_attention(list, sizes, layer);
        list.tensor_out();
        add_behind(list, sizes);
        add_norm(list, sizes);
        add_ffn(list, sizes, layer);
        add_behind(list, sizes);
    }
    return list.take();
}

std::vector<Operator> prediction_operators(const Transformer& model, const Layout& layout, int number) {
    const Sizes sizes(model, layout);
    Operators list(sizes);
    add_norm(list, sizes);
    add_norm(list, sizes);
    list.memory("joining of state and embedding", sizes.own_tokens * 2 * model.hidden, {2, 2, 1, 1});
    list.tensor_in(2.0 * model.hidden);
    list.linear("joining product", model.hidden / sizes.tp, 2.0 * model.hidden);
    list.gather_columns();
    for (const Operator& op : layer_operators(model, layout, model.layers + number)) {
        list.add(op);
    }
    add_norm(list, sizes);
    return list.take();
}

std::vector<Operator> embedding_operators(const Transformer& model, const Layout& layout) {
    const Sizes sizes(model, layout);
    Operators list(sizes);
    list.memory("embedding", sizes.tokens * model.hidden, {2, 4, 2, 3});
    list.tensor_out();
    return list.take();
}

namespace {

// Megatron-LM pads the vocabulary to a multiple of 128 for each tensor-parallel rank.
double padded_vocabulary(const Sizes& sizes) {
    const double multiple = sizes.layout.framework.loop == TrainingLoop::torch ? sizes.tp : 128 * sizes.tp;
    return std::ceil(sizes.model.vocabulary / multiple) * multiple;
}

}  // namespace

std::vector<Operator> output_operators(const Transformer& model, const Layout& layout) {
    const Sizes sizes(model, layout);
    Operators list(sizes);
    add_norm(list, sizes);
    list.tensor_in();
    const double words = padded_vocabulary(sizes) / sizes.tp;
    list.linear("logits", words, model.hidden, Format::rest);
    const double elements = sizes.tokens * words * single / sizes.element;
    list.memory("cross-entropy", elements,
                sizes.compiled ? Operators::Passes{1.5, 1.5, 2, 1} : Operators::Passes{4, 2.5, 6, 4});
    return list.take();
}

}  // namespace sim::training
