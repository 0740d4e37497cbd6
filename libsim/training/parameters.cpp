#include "libsim/training/parameters.hpp"

#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/tower.hpp"

#include <array>
#include <cmath>

namespace sim::training {

namespace {

// The count that an operator's weights belong to: by its modules, and attention if it has none.
std::int64_t LayerParameters::*counted_in(const Operator& op) {
    if (op.kind == OperatorKind::grouped_gemm) {
        return &LayerParameters::routed_experts;
    }
    if (op.modules.has(LayerModule::shared_experts)) {
        return &LayerParameters::shared_experts;
    }
    if (op.modules.has(LayerModule::experts)) {
        return &LayerParameters::router;
    }
    return op.modules.has(LayerModule::dense_ffn) ? &LayerParameters::dense_ffn : &LayerParameters::attention;
}

// Sums over an operator list, from which a model's totals are computed.
struct ListSums {
    std::array<std::int64_t, 3> matrices = {};  // by Rows: that multiply every token, …
    std::int64_t unvisited = 0;
    double pair_width = 0;
    double index_width = 0;
    double cross_width = 0;
    double token_width = 0;
};
ListSums sums_of(const std::vector<Operator>& operators) {
    ListSums sums;
    for (const Operator& op : operators) {
        const Weights& weights = op.weights;
        sums.matrices[static_cast<std::size_t>(weights.rows)] += weights.visited * weights.matrix;
        sums.unvisited += (weights.experts - weights.visited) * (weights.matrix + weights.biases);
        sums.pair_width += op.pair_width;
        sums.index_width += op.index_width;
        sums.cross_width += op.cross_width;
        sums.token_width += op.token_width;
    }
    return sums;
}

Weights weights_of(const std::vector<Operator>& operators) {
    Weights sum;
    for (const Operator& op : operators) {
        sum.matrix += op.weights.matrix;
        sum.biases += op.weights.biases;
        sum.norms += op.weights.norms;
    }
    return sum;
}

struct LayerSums {
    LayerParameters parameters;
    ListSums lists;
};
// The sums of each layer of a model.
class LayersSums {
public:
    explicit LayersSums(const Transformer& model) : model_(model) {}

    const LayerSums& of(int layer) {
        return kinds_.of(model_, layer, [&](int first) {
            const std::vector<Operator> operators = layer_operators(model_, {}, first);
            return LayerSums{layer_parameters(operators), sums_of(operators)};
        });
    }

private:
    const Transformer& model_;
    OfLayerKinds<LayerSums> kinds_;
};

// Without masked ones if `causal_half`.
double all_pairs(const Transformer& model, bool causal_half) {
    const double sequence = model.sequence;
    return sequence * sequence / (causal_half && model.causal ? 2 : 1);
}

}  // namespace

JoinParameters join_parameters(const Transformer& model) {
    const Weights weights = weights_of(join_operators(model, {}));
    return {.product = weights.matrix, .norms = weights.norms};
}

LayerParameters layer_parameters(const std::vector<Operator>& operators) {
    LayerParameters parameters;
    for (const Operator& op : operators) {
        const Weights& weights = op.weights;
        const auto part = counted_in(op);
        parameters.*part += weights.experts * (weights.matrix + weights.biases);
        parameters.norms += weights.norms;
        parameters.replicated += weights.everywhere && part == &LayerParameters::attention ? weights.matrix : 0;
    }
    return parameters;
}

LayerParameters layer_parameters(const Transformer& model, int layer) {
    return layer_parameters(layer_operators(model, {}, layer));
}

Parameters parameters_of(const Transformer& model) {
    const std::vector<Operator> inputs = embedding_operators(model, {});
    const Weights tables = weights_of(inputs);
    const Weights output = weights_of(output_operators(model, {}));
    const std::int64_t embedding = inputs.front().weights.matrix;
    const std::int64_t streams = model.per_layer ? output.matrix - embedding : 0;  // taken back before the norm
    Parameters parameters{.embedding = embedding,
                          .positions = tables.matrix - embedding + tables.biases + tables.norms,
                          .final_norm = output.norms + streams,
                          .output = model.tied_embeddings ? 0 : output.matrix - streams + output.biases};
    LayersSums layers(model);
    std::int64_t unvisited = 0;
    for (int layer = 0; layer < model.layers + model.mtp_layers; ++layer) {
        const LayerSums& sums = layers.of(layer);
        (layer < model.layers ? parameters.layers : parameters.predictions) += sums.parameters.total();
        unvisited += sums.lists.unvisited;
    }
    if (model.mtp_layers > 0) {
        const JoinParameters join = join_parameters(model);
        parameters.predictions += model.mtp_layers * (join.product + join.norms);
    }
    parameters.tower = model.tower ? parameters_of_tower(model) : 0;
    parameters.active = parameters.total() - unvisited;
    return parameters;
}

double attended_pairs(const Transformer& model, int layer, bool causal_half) {
    const double sequence = model.sequence_of(layer);
    if (model.encodes(layer)) {
        return sequence * sequence;
    }
    const double window = model.window_of(layer);
    if (model.sliding.chunks && model.sliding.window == model.window_of(layer)) {
        const double whole = std::floor(sequence / window);
        const double rest = sequence - whole * window;
        return (whole * window * window + rest * rest) / (causal_half && model.causal ? 2 : 1);
    }
    return sequence * window - (causal_half && model.causal ? window * window / 2 : 0);
}

ModelFlops forward_flops(const Transformer& model, bool causal_half) {
    const double join = model.mtp_layers > 0 ? static_cast<double>(join_parameters(model).product) : 0;
    const double encoded = model.encoder ? model.encoder->sequence : 0;
    LayersSums layers(model);
    ModelFlops flops;
    for (int layer = 0; layer < model.layers + model.mtp_layers; ++layer) {
        const ListSums& sums = layers.of(layer).lists;
        const double sequence = model.sequence_of(layer);
        const auto [of_token, of_sample, of_encoded] = sums.matrices;
        const auto matrices = static_cast<double>(of_token);
        flops.layers += 2 * sequence * (matrices + (layer < model.layers ? 0 : join));
        flops.layers += 2 * (static_cast<double>(of_sample) + encoded * static_cast<double>(of_encoded));
        flops.attention += 2 * attended_pairs(model, layer, causal_half) * sums.pair_width;
        flops.attention += 2 * (all_pairs(model, causal_half) * sums.index_width + sequence * sums.token_width +
                                sequence * encoded * sums.cross_width);
    }
    const ListSums outputs = sums_of(output_operators(model, {}));
    const double sequence = model.sequence;
    const auto of_outputs = static_cast<double>(outputs.matrices[0]);
    flops.logits = 2 * sequence * of_outputs * (1 + model.mtp_layers) + 2 * static_cast<double>(outputs.matrices[1]);
    for (const Operator& op : embedding_operators(model, {})) {
        flops.layers += op.kind == OperatorKind::gemm ? 2 * sequence * static_cast<double>(op.weights.matrix) : 0;
    }
    if (model.tower) {
        const TowerFlops tower = tower_flops(model);
        flops.tower = tower.trained;
        flops.frozen_tower = tower.frozen;
    }
    return flops;
}

}  // namespace sim::training
