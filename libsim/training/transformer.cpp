#include "libsim/training/transformer.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sim::training {

namespace {

// Bounded so that products of a few of them fit 64 bits.
constexpr int largest_field = 1 << 26;
constexpr double most_parameters = 1e16;

[[noreturn]] void refuse(const Transformer& model, const std::string& what) {
    throw ProgramError(fmt::format("model \"{}\": {}", model.name, what));
}

void check_range(const Transformer& model, const char* field, int value, int low, int high = largest_field) {
    if (value < low || value > high) {
        refuse(model, fmt::format("{} = {} must be from {} to {}", field, value, low, high));
    }
}

// The divisor of `whole` nearest to `wanted`.
int nearest_divisor(int whole, int wanted) {
    for (int away = 0; away < whole; ++away) {
        for (const int candidate : {wanted - away, wanted + away}) {
            if (candidate >= 1 && whole % candidate == 0) {
                return candidate;
            }
        }
    }
    return whole;
}

void check_attention(const Transformer& model) {
    check_range(model, "heads", model.heads, 1);
    check_range(model, "kv_heads", model.kv_heads, 1, model.heads);
    if (model.heads % model.kv_heads != 0) {
        refuse(model, fmt::format("kv_heads = {} does not divide heads = {}; {} would", model.kv_heads, model.heads,
                                  nearest_divisor(model.heads, model.kv_heads)));
    }
    if (model.head_dim < 1 && model.hidden % model.heads != 0) {
        refuse(model, fmt::format("head_dim is missing, and heads = {} do not divide hidden = {}; {} would",
                                  model.heads, model.hidden, nearest_divisor(model.hidden, model.heads)));
    }
    if (model.head_dim < 1) {
        refuse(model, fmt::format("head_dim = {} must be 1 or more; hidden / heads is {}", model.head_dim,
                                  model.hidden / model.heads));
    }
    check_range(model, "head_dim", model.head_dim, 1);
    if (model.rotary && !model.latent && model.head_dim % 2 != 0) {
        refuse(model, fmt::format("head_dim = {} must be even: rotary positions turn pairs; {} would do",
                                  model.head_dim, model.head_dim + 1));
    }
    if (model.rotary && model.learned_positions) {
        refuse(model, "rotary and learned_positions are both set; positions are either");
    }
    check_range(model, "sliding.window", model.sliding.window, 0);
    check_range(model, "sliding.every", model.sliding.every, 1);
    check_range(model, "sliding.all_every", model.sliding.all_every, 0);
}

void check_latent(const Transformer& model) {
    const LatentAttention& latent = *model.latent;
    check_range(model, "latent.query_rank", latent.query_rank, 0);
    check_range(model, "latent.key_value_rank", latent.key_value_rank, 1);
    check_range(model, "latent.plain_dim", latent.plain_dim, 1);
    check_range(model, "latent.rotary_dim", latent.rotary_dim, 0);
    check_range(model, "latent.value_dim", latent.value_dim, 1);
    if (latent.rotary_dim % 2 != 0) {
        refuse(model, fmt::format("latent.rotary_dim = {} must be even: rotary positions turn pairs; {} would do",
                                  latent.rotary_dim, latent.rotary_dim + 1));
    }
    if (model.kv_heads != model.heads) {
        refuse(model,
               fmt::format("kv_heads = {} must be heads = {} with latent attention", model.kv_heads, model.heads));
    }
    if (model.head_dim != latent.plain_dim + latent.rotary_dim) {
        refuse(model, fmt::format("head_dim = {} must be latent.plain_dim + latent.rotary_dim = {}", model.head_dim,
                                  latent.plain_dim + latent.rotary_dim));
    }
    if (model.biases || model.qkv_biases) {
        refuse(model, "biases or qkv_biases is set; latent attention is known without them only");
    }
}

void check_norms(const Transformer& model) {
    const int norms = model.norms_per_layer;
    if (norms != 1 && norms != 2 && norms != 4) {
        refuse(model, fmt::format("norms_per_layer = {} must be 1, 2 or 4", norms));
    }
    if (norms == 4 && model.parallel_block) {
        refuse(model, "norms_per_layer = 4 with parallel_block: no norms stand behind parts that lie side by side");
    }
}

// The binomial coefficient n over k.
double ways(int n, int k) {
    double product = 1;
    for (int i = 1; i <= k; ++i) {
        product *= double{1} * (n - k + i) / i;
    }
    return product;
}

void check_groups(const Transformer& model) {
    const Experts& experts = model.experts;
    if (experts.groups_per_token > experts.groups) {
        refuse(model, fmt::format("experts.groups_per_token = {} is more than experts.groups = {}",
                                  experts.groups_per_token, experts.groups));
    }
    if (experts.groups > 0 && experts.count % experts.groups != 0) {
        refuse(model,
               fmt::format("experts.groups = {} does not divide experts.count = {}", experts.groups, experts.count));
    }
    if (experts.groups > 0 && experts.top_k > experts.count / experts.groups * experts.groups_per_token) {
        refuse(model, fmt::format("experts.groups_per_token = {} has {} experts, and experts.top_k = {}",
                                  experts.groups_per_token, experts.count / experts.groups * experts.groups_per_token,
                                  experts.top_k));
    }
}

void check_experts(const Transformer& model) {
    const Experts& experts = model.experts;
    check_range(model, "experts.count", experts.count, 0);
    check_range(model, "experts.shared", experts.shared, 0);
    check_range(model, "experts.dense_layers", experts.dense_layers, 0);
    check_range(model, "experts.every", experts.every, 1);
    if (experts.count == 0) {
        return;
    }
    check_range(model, "experts.top_k", experts.top_k, 1);
    check_range(model, "experts.ffn", experts.ffn, 1);
    if (experts.top_k > experts.count) {
        refuse(model, fmt::format("experts.top_k = {} is more than experts.count = {}", experts.top_k, experts.count));
    }
    check_range(model, "experts.groups", experts.groups, 0);
    check_range(model, "experts.groups_per_token", experts.groups_per_token, experts.groups > 0 ? 1 : 0);
    check_groups(model);
    if (experts.dense_layers >= model.layers) {
        refuse(model, fmt::format("experts.dense_layers = {} leaves none of {} layers for experts; at most {} would",
                                  experts.dense_layers, model.layers, model.layers - 1));
    }
}

void check_pattern(const Transformer& model) {
    const std::string& pattern = model.pattern;
    if (const std::size_t odd = pattern.find_first_not_of("fwFWl*M-E"); odd != std::string::npos) {
        refuse(model, fmt::format("pattern[{}] = \"{}\" must be f, w, F, W or l, or *, M, - or E", odd, pattern[odd]));
    }
    const auto has = [&](const char* symbols) { return pattern.find_first_of(symbols) != std::string::npos; };
    if (has("E") && model.experts.count == 0) {
        refuse(model, "pattern has E, and experts.count = 0");
    }
    if (has("wW") && model.sliding.window == 0) {
        refuse(model, "pattern has w, and sliding.window = 0");
    }
    for (const auto& [sharing, own] : {std::pair{'F', 'f'}, {'W', 'w'}}) {
        if (pattern.find(sharing) < pattern.find(own)) {
            refuse(model, fmt::format("pattern has {}, and no {} before it whose keys and values it could have",
                                      sharing, own));
        }
    }
    if (model.has_shared_keys() && (model.latent || model.attention_gate)) {
        refuse(model, "pattern has F or W, which are known without latent attention and attention_gate only");
    }
    if (has("lM") != model.linear.has_value()) {
        refuse(model, model.linear ? "linear is given, and pattern has neither l nor M"
                                   : "pattern has l or M, and linear is missing");
    }
    if (model.linear && !model.causal) {
        refuse(model, "causal = false with linear attention: its scan runs from the first token to the last");
    }
}

void check_linear(const Transformer& model) {
    if (!model.linear) {
        return;
    }
    const LinearAttention& linear = *model.linear;
    check_range(model, "linear.heads", linear.heads, 1);
    check_range(model, "linear.key_heads", linear.key_heads, 1, linear.heads);
    check_range(model, "linear.key_dim", linear.key_dim, 1);
    check_range(model, "linear.value_dim", linear.value_dim, 1);
    check_range(model, "linear.convolution", linear.convolution, 0);
    check_range(model, "linear.chunk", linear.chunk, 1);
    if (linear.heads % linear.key_heads != 0) {
        refuse(model, fmt::format("linear.key_heads = {} does not divide linear.heads = {}; {} would", linear.key_heads,
                                  linear.heads, nearest_divisor(linear.heads, linear.key_heads)));
    }
}

void check_sparse(const Transformer& model) {
    if (!model.sparse) {
        return;
    }
    check_range(model, "sparse.heads", model.sparse->heads, 1);
    check_range(model, "sparse.dim", model.sparse->dim, 1);
    check_range(model, "sparse.top_k", model.sparse->top_k, 1);
    if (!model.latent || model.latent->query_rank == 0) {
        refuse(model, "sparse attention is known only with latent attention whose queries have a latent.query_rank");
    }
}

void check_inputs(const Transformer& model) {
    if (model.patches) {
        check_range(model, "patches.values", model.patches->values, 1);
        if (model.tied_embeddings || model.mtp_layers > 0 || model.token_types > 0) {
            refuse(model, "patches with tied_embeddings, mtp_layers or token_types: patches are no words");
        }
    }
    if (model.conditioning) {
        check_range(model, "conditioning.labels", model.conditioning->labels, 0);
        check_range(model, "conditioning.frequencies", model.conditioning->frequencies, 1);
        if (model.norms_per_layer != 2 || model.parallel_block || !model.pattern.empty()) {
            refuse(model, "conditioning is known with two norms per layer only, one part after the other");
        }
    }
    check_range(model, "relative_positions", model.relative_positions, 0);
    if (!model.encoder) {
        return;
    }
    check_range(model, "encoder.layers", model.encoder->layers, 1, model.layers - 1);
    check_range(model, "encoder.sequence", model.encoder->sequence, 1);
    if (model.latent || model.sparse || !model.pattern.empty() || model.mtp_layers > 0 || model.parallel_block ||
        model.norms_per_layer == 1 || model.sliding.window > 0 || model.attention_gate || model.conditioning) {
        refuse(model, "encoder is known with full attention in layers of two parts, one after the other, only");
    }
}

void check_per_layer(const Transformer& model) {
    if (!model.per_layer) {
        return;
    }
    check_range(model, "per_layer.vocabulary", model.per_layer->vocabulary, 1);
    check_range(model, "per_layer.width", model.per_layer->width, 1);
    check_range(model, "per_layer.streams", model.per_layer->streams, 1, 64);
    check_range(model, "per_layer.rank", model.per_layer->rank, 0);
    if (model.norms_per_layer != 4 || model.patches || model.encoder || model.conditioning || model.mtp_layers > 0) {
        refuse(model,
               "per_layer is known with four norms per layer, and without patches, encoder, conditioning and "
               "mtp_layers");
    }
}

void check_tower(const Transformer& model) {
    if (!model.tower) {
        return;
    }
    const Tower& tower = *model.tower;
    check_transformer(tower.model);
    check_range(model, "tower.images", tower.images, 1, 4096);
    check_range(model, "tower.tokens", tower.tokens, 1, tower.model.sequence);
    check_range(model, "tower.joined", tower.joined, 1, std::min(tower.model.sequence, 4096));
    check_range(model, "tower.products", tower.products, 1, 16);
    check_range(model, "tower.inner", tower.inner, tower.products > 1 ? 1 : 0);
    check_range(model, "tower.further", tower.further, 0, 64);
    const double widest = std::max(double{1} * tower.joined * tower.model.hidden, double{1} * tower.inner);
    if (widest * std::max(model.hidden, tower.inner) * tower.products * (1 + tower.further) > most_parameters) {
        refuse(model, "the tower's projector has more parameters than ndsim counts; is a size wrong?");
    }
    if (!tower.model.patches || tower.model.tower || tower.model.causal) {
        refuse(model, "tower must have patches, not be causal, and have no tower itself");
    }
    if (model.patches || model.encoder) {
        refuse(model, "tower in front of patches or of an encoder: it is known in front of words only");
    }
    if (std::int64_t{tower.images} * tower.tokens > model.sequence) {
        refuse(model, fmt::format("tower.images = {} of {} tokens each are more than the sequence of {}", tower.images,
                                  tower.tokens, model.sequence));
    }
}

// An upper bound, in doubles, because the exact count could overflow 64 bits.
void check_total(const Transformer& model) {
    const double hidden = model.hidden;
    const double width =
        static_cast<double>(model.heads) * (model.head_dim + (model.latent ? model.latent->value_dim : model.head_dim));
    const double ranks = model.latent ? model.latent->query_rank + model.latent->key_value_rank : 0.0;
    const double wide = static_cast<double>(model.experts.count + model.experts.shared) * model.experts.ffn;
    const double layer = (hidden + ranks) *
                         (2 * width + ranks + 3 * wide + 3.0 * model.ffn + model.experts.count + model.norms_per_layer);
    const LinearAttention linear = model.linear.value_or(LinearAttention{.heads = 0});
    const double scan = (hidden + linear.convolution + 64) *
                        (2.0 * static_cast<double>(linear.mixed_width()) + 4.0 * linear.heads + linear.key_dim);
    const double index = model.sparse ? (hidden + ranks) * (1.0 + model.sparse->heads) * (1.0 + model.sparse->dim) : 0;
    const double tables = hidden * (2.0 * model.vocabulary + model.sequence + model.token_types);
    const double predictions = model.mtp_layers * (layer + 2 * hidden * hidden);
    const double beside = (model.encoder ? 2 * hidden * width : 0) + (model.conditioning ? 6 * hidden * hidden : 0);
    const double inputs = model.patches ? hidden * model.patches->values : 0;
    const PerLayerInputs own = model.per_layer.value_or(PerLayerInputs{.streams = 0});
    const double streams = own.streams;
    const double of_layer = 2 * hidden * (own.rank + own.width + streams + 4) + 2 * streams * streams * streams;
    const double per_layer =
        model.layers * (of_layer + double{1} * own.width * (own.vocabulary + hidden)) + 2 * streams * hidden * hidden;
    const double total = model.layers * (layer + scan + index + beside) + predictions + tables + inputs + per_layer;
    if (total > most_parameters) {
        refuse(model, fmt::format("{:.1e} parameters are more than ndsim counts ({:.0e}); is a size wrong?", total,
                                  most_parameters));
    }
}

}  // namespace

double nodes_of_a_token(const Experts& experts, int nodes) {
    const double copies = experts.top_k;
    const auto drawn_evenly = [&](double over) { return over * (1 - std::pow(1 - 1 / over, copies)); };
    const int groups = experts.groups;
    if (groups == 0 || experts.groups_per_token == groups || (nodes % groups != 0 && groups % nodes != 0)) {
        return drawn_evenly(nodes);
    }
    if (nodes % groups == 0) {
        return drawn_evenly(double{1} * experts.groups_per_token * nodes / groups);
    }
    // `here` of a token's groups are on one node: drawn without replacement.
    const int on_node = groups / nodes;
    const int chosen = experts.groups_per_token;
    double reached = 0;
    for (int here = std::max(0, chosen - (groups - on_node)); here <= std::min(on_node, chosen); ++here) {
        const double chance = ways(on_node, here) * ways(groups - on_node, chosen - here) / ways(groups, chosen);
        reached += nodes * chance * (1 - std::pow(1 - double{1} * here / chosen, copies));
    }
    return reached;
}

std::int64_t Transformer::query_width() const {
    const int dim = latent ? latent->plain_dim + latent->rotary_dim : head_dim;
    return static_cast<std::int64_t>(heads) * dim;
}

std::int64_t Transformer::key_width() const {
    return latent ? query_width() : static_cast<std::int64_t>(kv_heads) * head_dim;
}

std::int64_t Transformer::value_width() const {
    return latent ? output_width() : static_cast<std::int64_t>(kv_heads) * head_dim;
}

std::int64_t Transformer::output_width() const {
    return static_cast<std::int64_t>(heads) * (latent ? latent->value_dim : head_dim);
}

LayerKind Transformer::kind_in_pattern(int layer) const {
    const FeedForwardPart counted = has_experts_by_count(layer) ? FeedForwardPart::experts : FeedForwardPart::dense;
    switch (symbol_of(layer)) {
        case 'l': return {Mixer::linear, counted};
        case 'M': return {Mixer::linear, FeedForwardPart::none};
        case '*': return {Mixer::attention, FeedForwardPart::none};
        case '-': return {Mixer::none, FeedForwardPart::dense};
        case 'E': return {Mixer::none, FeedForwardPart::experts};
        default: return {Mixer::attention, counted, is_sharing(symbol_of(layer))};
    }
}

bool Transformer::has_dense_ffn() const {
    const bool is_counted = experts.count == 0 || experts.dense_layers > 0 || experts.every > 1;
    if (pattern.empty()) {
        return is_counted;
    }
    return pattern.find('-') != std::string::npos ||
           (is_counted && pattern.find_first_of("fwFWl") != std::string::npos);
}

void check_transformer(const Transformer& model) {
    check_range(model, "layers", model.layers, 1, most_layers);
    check_range(model, "hidden", model.hidden, 1);
    check_range(model, "vocabulary", model.vocabulary, 1);
    check_range(model, "sequence", model.sequence, 1);
    check_range(model, "mtp_layers", model.mtp_layers, 0, 16);
    check_range(model, "token_types", model.token_types, 0);
    check_norms(model);
    check_attention(model);
    if (model.latent) {
        check_latent(model);
    }
    check_experts(model);
    check_pattern(model);
    check_linear(model);
    check_sparse(model);
    check_inputs(model);
    check_per_layer(model);
    check_tower(model);
    check_range(model, "ffn", model.ffn, model.has_dense_ffn() ? 1 : 0);
    check_total(model);
}

}  // namespace sim::training
