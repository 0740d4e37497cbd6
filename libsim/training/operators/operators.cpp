#include "libsim/training/operators.hpp"

#include "libsim/training/operators/operator_list.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

// Norms whose results are scaled and shifted by the conditioning have none of their own.
std::int64_t norm_weights(const Transformer& model) {
    return model.conditioning ? 0 : std::int64_t{model.norm_biases ? 2 : 1} * model.hidden;
}

}  // namespace

Operator& add_norm(OperatorList& list, const OperatorSizes& sizes) {
    const bool many = sizes.eager && !sizes.model.norm_biases;  // RMSNorm in eager mode is a handful of fp32 kernels
    Operator& op = list.memory("norm", sizes.own_tokens * sizes.model.hidden,
                               many ? OperatorList::Passes{12, 20, 6, 8} : OperatorList::Passes{2, 3.5, 1, 2});
    op.weights.norms = norm_weights(sizes.model);
    return op;
}

namespace {

constexpr double single = 4;  // bytes of a logit

// Adds the results of `parts` parts. `is_read`: another norm of the layer reads the sum.
void add_residual(OperatorList& list, const OperatorSizes& sizes, int parts, bool is_read) {
    const bool dropout = has_dropout(sizes.model);
    OperatorList::Passes passes{3, 2, 1, 1};
    if (sizes.eager) {
        passes = dropout ? OperatorList::Passes{7.5, 5, 3, 3} : OperatorList::Passes{3, 2, 1, 1};
    } else if (sizes.compiled) {
        passes = {2, 1, 0.5, 0.5};  // including the norm that follows
    } else if (dropout) {
        passes = {3.5, 2.5, 1, 2};
    }
    Operator& op = list.memory("residual", sizes.own_tokens * sizes.model.hidden, passes);
    const double masks = dropout ? parts * sizes.tokens * sizes.stream : 0;
    op.bytes.values = masks + (is_read ? sizes.bytes(sizes.stream) : 0);
}

// Adds the steps from a part's result to the sum.
void add_behind(OperatorList& list, const OperatorSizes& sizes, bool is_read) {
    if (sizes.model.has_norms_behind()) {
        add_norm(list, sizes).bytes.values = sizes.bytes(sizes.stream);  // its input
    }
    add_residual(list, sizes, 1, is_read);
}

Operator& add_norm_in_front(OperatorList& list, const OperatorSizes& sizes) {
    Operator& op = add_norm(list, sizes);
    op.modules = LayerModule::norms;
    op.bytes.values = sizes.input_bytes(sizes.stream);  // its result, which products read
    op.keeps_input = true;
    return op;
}

void add_first_norm(OperatorList& list, const OperatorSizes& sizes) {
    Operator& op = add_norm_in_front(list, sizes);
    op.bytes.input = sizes.bytes(sizes.stream);
    op.bytes.gradients = sizes.bytes(sizes.stream);
}

void add_ffn(OperatorList& list, const OperatorSizes& sizes, int layer) {
    if (sizes.model.has_experts(layer)) {
        add_experts(list, sizes);
        return;
    }
    const std::size_t first = list.size();
    list.tensor_in();
    add_dense_ffn(list, sizes, FeedForward::of_layer, sizes.model.ffn);
    list.tensor_out();
    list.mark_as(LayerModule::dense_ffn, first);
}

void add_mixer(OperatorList& list, const OperatorSizes& sizes, int layer) {
    if (sizes.model.kind_of(layer).mixer == Mixer::linear) {
        add_linear_attention(list, sizes);
    } else {
        add_attention(list, sizes, layer);
    }
}

// Both parts read the same input; their sum is reduced and added once. With one norm it is also gathered once.
void add_side_by_side(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    const bool one_norm = model.norms_per_layer == 1;
    add_first_norm(list, sizes);
    add_mixer(list, sizes, layer);
    if (!one_norm) {
        add_norm_in_front(list, sizes);
    }
    const std::size_t ffn = list.size();
    if (!one_norm || model.latent) {
        list.tensor_in();
    }
    add_dense_ffn(list, sizes, FeedForward::of_layer, model.ffn);
    list.mark_as(LayerModule::dense_ffn, ffn);
    list.memory("sum of both parts", sizes.tokens * model.hidden, {3, 0, 1, 0});
    list.tensor_out();
    add_residual(list, sizes, 2, false);
}

}  // namespace

namespace {

// Six vectors of a sample, three for each part, scale, shift and gate what every token has: norms' results and parts'
// results, which are kept for their gradients.
void add_modulation(OperatorList& list, const OperatorSizes& sizes) {
    const std::int64_t hidden = sizes.model.hidden;
    Operator& product = list.everywhere("modulation", sizes.layout.batch.micro, 6 * hidden, hidden);
    product.weights.biases = 6 * hidden;
    product.weights.rows = Rows::samples;
    list.memory("scales, shifts, gates", sizes.own_tokens * sizes.model.hidden,
                sizes.eager ? OperatorList::Passes{16, 24, 8, 16} : OperatorList::Passes{8, 12, 4, 8})
        .bytes.values = sizes.bytes(4 * sizes.stream);
}

// The parts of a layer one after the other, each with its norm.
void add_parts(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const LayerKind kind = sizes.model.kind_of(layer);
    const bool has_ffn = kind.feed_forward != FeedForwardPart::none;
    const bool has_streams = sizes.model.per_layer && sizes.model.per_layer->streams > 1;
    if (has_streams) {
        add_predicted_streams(list, sizes);
        add_norm_in_front(list, sizes).bytes.gradients = sizes.bytes(sizes.model.per_layer->streams * sizes.stream);
    } else {
        add_first_norm(list, sizes);
    }
    if (sizes.model.conditioning) {
        add_modulation(list, sizes);
    }
    if (kind.mixer != Mixer::none) {
        add_mixer(list, sizes, layer);
        list.tensor_out();
        add_behind(list, sizes, has_ffn);
        if (sizes.model.per_layer) {
            add_low_rank_residual(list, sizes);
        }
    }
    if (sizes.model.encoder) {
        add_norm_in_front(list, sizes);
        add_cross_attention(list, sizes);
        list.tensor_out();
        add_behind(list, sizes, true);
    }
    if (has_ffn) {
        if (kind.mixer != Mixer::none) {
            add_norm_in_front(list, sizes);
        }
        add_ffn(list, sizes, layer);
        add_behind(list, sizes, false);
    }
    if (sizes.model.per_layer) {
        add_corrected_streams(list, sizes);
    }
}

// The encoder of a model, as a model of its own.
Transformer encoder_of(const Transformer& model) {
    Transformer own = model;
    own.layers = model.encoder->layers;
    own.sequence = model.encoder->sequence;
    own.causal = false;
    own.encoder.reset();
    return own;
}

}  // namespace

std::vector<Operator> layer_operators(const Transformer& model, const Layout& layout, int layer) {
    if (model.encodes(layer)) {
        return layer_operators(encoder_of(model), layout, layer);
    }
    const OperatorSizes sizes(model, layout);
    OperatorList list(sizes);
    if (model.is_side_by_side(layer)) {
        add_side_by_side(list, sizes, layer);
    } else {
        add_parts(list, sizes, layer);
    }
    return list.take();
}

namespace {

// A norm whose input comes from elsewhere.
void add_norm_of_input(OperatorList& list, const OperatorSizes& sizes) {
    add_norm(list, sizes).bytes.input = sizes.bytes(sizes.stream);
}

void add_join(OperatorList& list, const OperatorSizes& sizes) {
    const std::int64_t hidden = sizes.model.hidden;
    const double both = sizes.bytes(2 * sizes.stream);
    add_norm_of_input(list, sizes);
    add_norm_of_input(list, sizes);
    list.memory("joining of state and embedding", sizes.own_tokens * 2 * sizes.model.hidden, {2, 2, 1, 1}).bytes = {
        .values = both, .chosen = both};
    list.tensor_in(2.0 * sizes.model.hidden);
    Operator& product = list.columns("joining product", hidden, 2 * hidden);
    product.weights.biases = 0;
    product.bytes.weight_inputs = sizes.bytes(3 * sizes.stream);
    list.gather_columns();
}

}  // namespace

std::vector<Operator> prediction_operators(const Transformer& model, const Layout& layout, int number) {
    const OperatorSizes sizes(model, layout);
    OperatorList list(sizes);
    add_join(list, sizes);
    for (const Operator& op : layer_operators(model, layout, model.layers + number)) {
        list.add(op);
    }
    add_norm_of_input(list, sizes);
    return list.take();
}

std::vector<Operator> join_operators(const Transformer& model, const Layout& layout) {
    const OperatorSizes sizes(model, layout);
    OperatorList list(sizes);
    add_join(list, sizes);
    add_norm_of_input(list, sizes);
    return list.take();
}

namespace {

// The tables of words or the product of patches; positions, token types and a class token are added to it, possibly
// with a norm afterwards. The two layers of a time step's embedding and the table of labels count here as well.
Weights input_weights(const Transformer& model) {
    const std::int64_t hidden = model.hidden;
    const std::int64_t rows = (model.learned_positions ? model.sequence : 0) + std::int64_t{model.token_types};
    const std::int64_t of_patches = model.patches ? 1 + (model.patches->class_token ? 1 : 0) : 0;
    const std::int64_t stacks = model.encoder ? 2 : 1;
    const std::int64_t relative = stacks * model.relative_positions * model.heads;
    const std::int64_t condition =
        model.conditioning ? model.conditioning->labels + model.conditioning->frequencies + hidden + 2 : 0;
    return {.matrix = (model.patches ? model.patches->values : model.vocabulary) * hidden,
            .biases = (rows + of_patches + condition) * hidden + relative,
            .norms = model.embedding_norm ? norm_weights(model) : 0};
}

}  // namespace

std::vector<Operator> embedding_operators(const Transformer& model, const Layout& layout) {
    const OperatorSizes sizes(model, layout);
    OperatorList list(sizes);
    if (model.patches) {
        const Gemm gemm{sizes.own_tokens, static_cast<double>(model.hidden),
                        static_cast<double>(model.patches->values)};
        list.product("patches", gemm, input_weights(model)).bytes.input =
            sizes.bytes(model.patches->values / spread_between(layout));
        list.memory("positions", sizes.own_tokens * model.hidden, {2, 1, 1, 1});
        return list.take();
    }
    const double encoded = model.encoder ? tokens_of(encoder_of(model), layout) : 0;
    list.memory("embedding", (sizes.tokens + encoded) * model.hidden, {2, 4, 2, 3}).weights = input_weights(model);
    list.tensor_out();
    if (model.per_layer) {
        add_per_layer_tables(list, sizes);
    }
    return list.take();
}

namespace {

// Megatron-LM pads the vocabulary to a multiple of 128 for each tensor-parallel rank. Outputs of patches are no words.
double padded_vocabulary(const OperatorSizes& sizes) {
    const bool pads = sizes.layout.framework.loop != TrainingLoop::torch && !sizes.model.patches;
    const double multiple = pads ? 128 * sizes.tp : sizes.tp;
    return std::ceil(sizes.model.vocabulary / multiple) * multiple;
}

// Scale and shift behind the final norm.
void add_final_modulation(OperatorList& list, const OperatorSizes& sizes) {
    const std::int64_t hidden = sizes.model.hidden;
    Operator& product = list.everywhere("final modulation", sizes.layout.batch.micro, 2 * hidden, hidden);
    product.weights.biases = 2 * hidden;
    product.weights.rows = Rows::samples;
    list.memory("scales, shifts", sizes.own_tokens * sizes.model.hidden, {2, 3, 1, 2});
}

}  // namespace

std::vector<Operator> output_operators(const Transformer& model, const Layout& layout) {
    const OperatorSizes sizes(model, layout);
    OperatorList list(sizes);
    if (model.per_layer) {
        add_sum_of_streams(list, sizes);
    }
    add_norm(list, sizes).weights.norms *= model.final_norm ? (model.encoder ? 2 : 1) : 0;
    if (model.conditioning) {
        add_final_modulation(list, sizes);
    }
    list.tensor_in();
    const double words = padded_vocabulary(sizes) / sizes.tp;
    const double rows = output_rows_of(model, layout);
    Operator& logits = list.product("logits", {rows, words, static_cast<double>(model.hidden)},
                                    {.matrix = std::int64_t{model.vocabulary} * model.hidden});
    logits.format = layout.framework.fp8_logits ? Format::products : Format::rest;
    logits.weights.biases = model.patches ? model.vocabulary : 0;
    logits.weights.rows = model.has_output_of_sample() ? Rows::samples : Rows::tokens;
    const double elements = rows * words * single / sizes.element;
    list.memory(model.conditioning ? "squared error" : "cross-entropy", elements,
                sizes.compiled ? OperatorList::Passes{1.5, 1.5, 2, 1} : OperatorList::Passes{4, 2.5, 6, 4});
    return list.take();
}

}  // namespace sim::training
