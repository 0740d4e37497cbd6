#include "libsim/training/parameters.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// Of attention's projections, without biases.
std::int64_t attention_matrices(const Transformer& model) {
    const std::int64_t hidden = model.hidden;
    const std::int64_t output = model.output_width() * hidden;
    if (!model.latent) {
        return hidden * (model.query_width() + model.key_width() + model.value_width()) + output;
    }
    const LatentAttention& latent = *model.latent;
    const std::int64_t queries =
        latent.query_rank == 0 ? hidden * model.query_width() : latent.query_rank * (hidden + model.query_width());
    // The rotary part of the keys is one for all heads, and made from the hidden state.
    const std::int64_t down = hidden * (latent.key_value_rank + latent.rotary_dim);
    const std::int64_t plain_keys = static_cast<std::int64_t>(model.heads) * latent.plain_dim;
    const std::int64_t up = latent.key_value_rank * (plain_keys + model.value_width());
    return queries + down + up + output;
}

std::int64_t ffn_matrices(const Transformer& model, std::int64_t width) {
    return (model.gated ? 3 : 2) * width * model.hidden;
}

std::int64_t ffn_parameters(const Transformer& model, std::int64_t width) {
    if (width == 0) {
        return 0;
    }
    const std::int64_t biases = model.biases ? (model.gated ? 2 : 1) * width + model.hidden : 0;
    return ffn_matrices(model, width) + biases;
}

std::int64_t shared_width(const Experts& experts) {
    return static_cast<std::int64_t>(experts.shared) * experts.ffn;
}

std::int64_t attention_parameters(const Transformer& model) {
    std::int64_t biases = 0;
    if (model.biases || model.qkv_biases) {
        biases += model.query_width() + model.key_width() + model.value_width();
    }
    if (model.biases) {
        biases += model.hidden;
    }
    return attention_matrices(model) + biases + (model.attention_sinks ? model.heads : 0);
}

std::int64_t norm_parameters(const Transformer& model) {
    return static_cast<std::int64_t>(model.norm_biases ? 2 : 1) * model.hidden;
}

std::int64_t layer_norms(const Transformer& model) {
    const int within_heads = model.qk_norms ? 2 * model.head_dim : 0;
    const int within_latent = model.latent ? model.latent->query_rank + model.latent->key_value_rank : 0;
    return model.norms_per_layer * norm_parameters(model) + within_heads + within_latent;
}

// Parameters of a layer that every token is multiplied with.
double visited_matrices(const Transformer& model, int layer) {
    const auto attention = static_cast<double>(attention_matrices(model));
    if (!model.has_experts(layer)) {
        return attention + static_cast<double>(ffn_matrices(model, model.ffn));
    }
    const Experts& experts = model.experts;
    const std::int64_t width = shared_width(experts) + static_cast<std::int64_t>(experts.top_k) * experts.ffn;
    const double router = static_cast<double>(model.hidden) * experts.count;
    return attention + router + static_cast<double>(ffn_matrices(model, width));
}

}  // namespace

JoinParameters join_parameters(const Transformer& model) {
    return {.product = std::int64_t{2} * model.hidden * model.hidden, .norms = 3 * norm_parameters(model)};
}

LayerParameters layer_parameters(const Transformer& model, int layer) {
    LayerParameters parameters;
    parameters.attention = attention_parameters(model);
    parameters.norms = layer_norms(model);
    if (model.latent) {
        const int down = model.latent->query_rank + model.latent->key_value_rank + model.latent->rotary_dim;
        parameters.replicated = std::int64_t{model.hidden} * down;
    }
    if (!model.has_experts(layer)) {
        parameters.dense_ffn = ffn_parameters(model, model.ffn);
        return parameters;
    }
    const Experts& experts = model.experts;
    const std::int64_t rows = model.hidden + (experts.router_bias ? 1 : 0);
    parameters.router = rows * experts.count;
    parameters.shared_experts = ffn_parameters(model, shared_width(experts));
    parameters.routed_experts = experts.count * ffn_parameters(model, experts.ffn);
    return parameters;
}

Parameters parameters_of(const Transformer& model) {
    const std::int64_t hidden = model.hidden;
    const std::int64_t norm = norm_parameters(model);
    Parameters parameters;
    parameters.embedding = model.vocabulary * hidden;
    parameters.positions = (model.learned_positions ? model.sequence * hidden : 0) + model.token_types * hidden +
                           (model.embedding_norm ? norm : 0);
    parameters.final_norm = model.final_norm ? norm : 0;
    parameters.output = model.tied_embeddings ? 0 : model.vocabulary * hidden;
    std::int64_t passed_by = 0;
    for (int layer = 0; layer < model.layers + model.mtp_layers; ++layer) {
        const bool predicts = layer >= model.layers;
        const JoinParameters join = predicts ? join_parameters(model) : JoinParameters{};
        (predicts ? parameters.predictions : parameters.layers) +=
            layer_parameters(model, layer).total() + join.product + join.norms;
        if (model.has_experts(layer)) {
            passed_by += (model.experts.count - model.experts.top_k) * ffn_parameters(model, model.experts.ffn);
        }
    }
    parameters.active = parameters.total() - passed_by;
    return parameters;
}

double attended_pairs(const Transformer& model, int layer, bool causal_half) {
    const double sequence = model.sequence;
    const double window = model.window_of(layer);
    return sequence * window - (causal_half && model.causal ? window * window / 2 : 0);
}

ModelFlops forward_flops(const Transformer& model, bool causal_half) {
    const double sequence = model.sequence;
    const auto width = static_cast<double>(model.query_width() + model.output_width());
    ModelFlops flops;
    for (int layer = 0; layer < model.layers + model.mtp_layers; ++layer) {
        const double join = layer < model.layers ? 0 : static_cast<double>(join_parameters(model).product);
        flops.layers += 2 * sequence * (visited_matrices(model, layer) + join);
        flops.attention += 2 * attended_pairs(model, layer, causal_half) * width;
    }
    flops.logits = 2 * sequence * model.hidden * static_cast<double>(model.vocabulary) * (1 + model.mtp_layers);
    return flops;
}

}  // namespace sim::training
