#include "libsim/training/memory/layer_bytes.hpp"

#include "libsim/training/recomputation.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// Values per token of one rank, between and within the tensor-parallel regions.
struct Widths {
    double hidden = 0;  // of a rank's part of what lies between the regions
    double query = 0;
    double key_value = 0;
    double heads_out = 0;  // what attention makes
    double latent = 0;     // small vectors of latent attention, before and after their norms
    double ffn_in = 0;     // what the activation function reads: twice the width where gated
    double ffn_out = 0;    // what it makes
    double heads = 0;
};

Widths widths_of(const Transformer& model, const Layout& layout) {
    const double t = layout.parallelism.tp;
    const double key_heads = std::max(1.0, model.kv_heads / t);  // repeated where there are fewer than ranks
    Widths widths{.hidden = model.hidden / spread_between(layout),
                  .query = double{1} * model.heads * model.head_dim / t,
                  .key_value = 2 * key_heads * model.head_dim,
                  .heads_out = double{1} * model.heads * model.head_dim / t,
                  .ffn_in = (model.gated ? 2.0 : 1.0) * model.ffn / t,
                  .ffn_out = model.ffn / t,
                  .heads = model.heads / t};
    if (model.latent) {
        const LatentAttention& latent = *model.latent;
        widths.query = widths.heads * (latent.plain_dim + latent.rotary_dim);
        widths.heads_out = widths.heads * latent.value_dim;
        widths.key_value = widths.query + widths.heads_out;
        widths.latent =
            (2.0 * latent.query_rank + 2.0 * latent.key_value_rank + latent.rotary_dim) / spread_between(layout);
    }
    return widths;
}

// Values per token in the experts of a rank: it computes as many visits of tokens as it has tokens, on average. Its
// tokens are a part of those of its tensor-parallel ranks, with sequence parallelism and without.
struct Visits {
    double count = 0;  // per token
    double in = 0;     // per visit
    double out = 0;
    double shared_in = 0;  // per token
    double shared_out = 0;
};

Visits visits_of(const Transformer& model, const Layout& layout) {
    const Experts& experts = model.experts;
    const double gate = model.gated ? 2 : 1;
    const double etp = layout.parallelism.expert_tp;
    return {.count = experts.top_k * etp / layout.parallelism.tp,
            .in = gate * experts.ffn / etp,
            .out = experts.ffn / etp,
            .shared_in = gate * experts.shared * experts.ffn / layout.parallelism.tp,
            .shared_out = double{1} * experts.shared * experts.ffn / layout.parallelism.tp};
}

// Scores of attention that a rank keeps where they are made in full: softmax, and with dropout its mask and result.
double scores_bytes(const Transformer& model, const Layout& layout) {
    const double per_score = has_dropout(model) ? 2 * element_bytes(layout) + 1 : element_bytes(layout);
    return per_score * model.heads / layout.parallelism.tp * tokens_of(model, layout) * model.sequence;
}

// Bytes of an element that is kept as a product's input: quantised in Megatron's loop, where it is. PyTorch's
// Float8Linear keeps what it was given.
double kept_input_bytes(const Layout& layout) {
    return layout.framework.loop == TrainingLoop::megatron ? row_of(layout.numerics.precision).kept_bytes
                                                           : element_bytes(layout);
}

// Of the feed-forward part, per token, besides its input.
double kept_ffn(const Transformer& model, const Layout& layout, bool experts) {
    const double e = element_bytes(layout);
    const double input = kept_input_bytes(layout);
    if (!experts) {
        const Widths w = widths_of(model, layout);
        return e * w.ffn_in + input * w.ffn_out;
    }
    const Visits v = visits_of(model, layout);
    const double router = 2 * 4.0 * model.experts.count / layout.parallelism.tp;  // logits and scores, in fp32
    return e * (v.count * v.in + v.shared_in) + input * (v.count * (model.hidden + v.out) + v.shared_out) + router;
}

// What norms keep, in widths of the hidden state: inputs of those in front of the parts and behind them, and results of
// those in front, which products multiply. Parts side by side have one input; one norm of both has one result.
struct NormValues {
    double inputs;
    double results;
};
NormValues norm_values(const Transformer& model, bool experts) {
    const bool side_by_side = !experts && (model.parallel_block || model.norms_per_layer == 1);
    const double behind = model.has_norms_behind() ? 2 : 0;
    return {.inputs = (side_by_side ? 1 : 2) + behind,
            .results = side_by_side && model.norms_per_layer == 1 ? 1.0 : 2.0};
}

// Everything, as if nothing was computed again.
double kept_in_full(const Transformer& model, const Layout& layout, bool experts) {
    const double e = element_bytes(layout);
    const double tokens = tokens_of(model, layout);
    const Widths w = widths_of(model, layout);
    const double input = kept_input_bytes(layout);
    const NormValues values = norm_values(model, experts);
    const double norms =
        (values.inputs * e + values.results * input + (has_dropout(model) ? 2 : 0)) * w.hidden;  // dropout's masks
    // Attention's backward pass reads its result as it was made, the projection's a quantised copy.
    const double copy = input < e ? input * w.heads_out : 0;
    const double attention = e * (w.query + w.key_value + w.heads_out) + (e + input) / 2 * w.latent + copy;
    const double scores = layout.framework.flash_attention ? 4 * w.heads * tokens : scores_bytes(model, layout);
    return tokens * (norms + attention + kept_ffn(model, layout, experts)) + scores;
}

// torchtitan keeps the results of attention and of every other matrix product; uncompiled also the one that nobody
// reads, of the last product.
double kept_by_operator(const Transformer& model, const Layout& layout, bool experts) {
    const Widths w = widths_of(model, layout);
    const Visits v = visits_of(model, layout);
    const double first = experts ? v.count * v.out + v.shared_out : w.ffn_out;
    const double unread = layout.framework.fusion == Fusion::compiled ? 0 : w.hidden;
    const double values = w.hidden + w.query + w.key_value / 2 + w.heads_out + first + unread;
    return tokens_of(model, layout) * (element_bytes(layout) * values + 4 * w.heads);
}

// What modules keep besides their inputs, which are kept: the residual stream, norms' results, small vectors of latent
// attention. Of a norm its result, which is dropped when the products that read it are done.
double bytes_of_modules(const Transformer& model, const Layout& layout, bool experts, LayerModules modules) {
    const double e = element_bytes(layout);
    const double input = kept_input_bytes(layout);
    const Widths w = widths_of(model, layout);
    const Visits v = visits_of(model, layout);
    double per_token = 0;
    if (modules.has(LayerModule::norms)) {
        per_token += norm_values(model, experts).results * input * w.hidden;
    }
    if (modules.has(LayerModule::latent_up) && model.latent) {
        per_token += e * (w.query + w.key_value);
    }
    if (experts && modules.has(LayerModule::experts)) {
        per_token += kept_ffn(model, layout, experts);
    } else if (experts) {
        per_token += modules.has(LayerModule::shared_experts) ? e * v.shared_in + input * v.shared_out : 0;
        per_token += modules.has(LayerModule::expert_activation) ? input * v.count * v.out : 0;
    } else if (modules.has(LayerModule::dense_ffn)) {
        per_token += kept_ffn(model, layout, experts);
    }
    const double scores = modules.has(LayerModule::core_attention) ? scores_bytes(model, layout) : 0;
    return tokens_of(model, layout) * per_token + scores;
}

double kept_of(const Transformer& model, const Layout& layout, bool experts, double all) {
    switch (layout.framework.recompute) {
        case Recompute::none: return all;
        case Recompute::full: return tokens_of(model, layout) * element_bytes(layout) * widths_of(model, layout).hidden;
        case Recompute::selective: break;
    }
    return recomputes_by_operator(layout) ? kept_by_operator(model, layout, experts)
                                          : all - bytes_of_modules(model, layout, experts, recomputed_modules(layout));
}

// Every matrix product's input and the gradient of its result.
double weight_inputs_of(const Transformer& model, const Layout& layout, bool experts) {
    const Widths w = widths_of(model, layout);
    const Visits v = visits_of(model, layout);
    const double attention = w.hidden + w.query + w.key_value + w.heads_out + w.hidden + 2 * w.latent;
    const double ffn = experts ? v.count * (2 * model.hidden + v.in + v.out) + 2 * w.hidden + v.shared_in + v.shared_out
                               : 2 * w.hidden + w.ffn_in + w.ffn_out;
    return tokens_of(model, layout) * element_bytes(layout) * (attention + ffn);
}

double backward_of(const Transformer& model, const Layout& layout, bool experts) {
    const double e = element_bytes(layout);
    const double tokens = tokens_of(model, layout);
    const Widths w = widths_of(model, layout);
    const Visits v = visits_of(model, layout);
    const double ring =
        layout.parallelism.cp > 1 ? 2 * w.key_value : 0;  // keys and values of another rank, and their gradients
    double attention = e * tokens * (w.hidden + w.query + w.key_value + w.heads_out + ring);
    if (!layout.framework.flash_attention) {
        // Gradients of the scores before and after the softmax, and of the dropout's result.
        attention = e * tokens * (w.hidden + model.hidden + ring) + 3 * e * w.heads * tokens * model.sequence;
    }
    // With experts: gradients and inputs on both sides of the dispatch.
    const double ffn = experts ? v.count * (2.0 * model.hidden + 2 * v.out) : w.hidden + w.ffn_in;
    // Sequence parallel gathers a product's input again, and the gradient of its result.
    const double gathered = layout.parallelism.sequence_parallel ? 2.0 * model.hidden : 0;
    return std::max(attention, e * tokens * ffn) + e * tokens * gathered;
}

}  // namespace

double element_bytes(const Layout& layout) {
    return row_of(layout.numerics.precision).element_bytes;
}

double tokens_of(const Transformer& model, const Layout& layout) {
    return double{1} * layout.batch.micro * model.sequence / layout.parallelism.cp;
}

double spread_between(const Layout& layout) {
    return layout.parallelism.sequence_parallel ? layout.parallelism.tp : 1;
}

bool has_dropout(const Transformer& model) {
    return model.biases;
}

bool is_fully_sharded(const Layout& layout) {
    return layout.parallelism.zero == 3;
}

LayerBytes join_bytes(const Transformer& model, const Layout& layout) {
    const double value = tokens_of(model, layout) * element_bytes(layout) * model.hidden / spread_between(layout);
    const bool full = layout.framework.recompute == Recompute::full;
    // Inputs of both norms and of the final one, which is no part of what is computed again; both results side by side.
    return {
        .kept = (full ? 3 : 5) * value, .recomputed = full ? 2 * value : 0, .weight_inputs = 3 * value, .backward = 0};
}

LayerBytes layer_bytes(const Transformer& model, const Layout& layout, bool experts) {
    const double all = kept_in_full(model, layout, experts);
    const double kept = kept_of(model, layout, experts, all);
    return {.kept = kept,
            .recomputed = all - kept,
            .weight_inputs = weight_inputs_of(model, layout, experts),
            .backward = backward_of(model, layout, experts)};
}

}  // namespace sim::training
