#include "libsim/training/memory/stage_bytes.hpp"

#include "libsim/training/memory/outside_layers.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/split.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::training {

namespace {

// The share that is lost to rounding to 2 MiB blocks and to holes between blocks of different lifetimes. Fitted to
// torchtitan's max_reserved, FSDP of Llama 3 8B on 8 and 128 H100.
constexpr double allocator_share = 0.045;

std::int64_t bytes(double exact) {
    return std::llround(exact);
}

// Two of the layers with offloaded activations are on the GPU: one being computed, one being copied.
constexpr int layers_on_the_way = 2;

// Layers of multi-token prediction are of the kind that would follow the model's own.
struct LayerCounts {
    int dense = 0;  // quantised, if the layout's precision is
    int expert = 0;
    int dense_in_bf16 = 0;
    int expert_in_bf16 = 0;

    int all_dense() const { return dense + dense_in_bf16; }
    int all_expert() const { return expert + expert_in_bf16; }
};

// Counts the layers from `first` on.
LayerCounts count_layers(const Transformer& model, const Layout& layout, const ChunkBytes& chunk, int first = 0) {
    LayerCounts counts;
    for (int layer = std::max(first, chunk.first_layer); layer < chunk.first_layer + chunk.layers; ++layer) {
        const bool in_bf16 = layout.numerics.leaves_in_bf16(layer, model.layers);
        (model.has_experts(layer) ? in_bf16 ? counts.expert_in_bf16 : counts.expert
         : in_bf16                ? counts.dense_in_bf16
                                  : counts.dense) += 1;
    }
    (model.has_experts(model.layers) ? counts.expert : counts.dense) += chunk.predictions;
    return counts;
}

// Bytes during one layer's backward pass: recomputed activations and activation gradients. FSDP also holds the layer's
// full weight gradients for the reduction, and frees them with the layer.
double layer_backward(const Layout& layout, const LayerBytes& layer, double widest) {
    const double e = element_bytes(layout);
    const double reduced = is_fully_sharded(layout) ? (e + (layout.numerics.fp32_gradients ? 4 : 0)) * widest : 0;
    return layer.recomputed + layer.backward + reduced;
}

// Without FSDP, one layer's weight gradients are allocated from the first backward pass on, before they are accumulated
// or as the dummy buffers that Transformer Engine returns to autograd.
double weight_gradients(const Layout& layout, const LayoutBytes& parts, const LayerCounts& count) {
    if (is_fully_sharded(layout)) {
        return 0;
    }
    return element_bytes(layout) *
           std::max(count.all_dense() > 0 ? parts.widest_dense : 0, count.all_expert() > 0 ? parts.widest_expert : 0);
}

ChunkBytes chunk_bytes(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int virtual_stage) {
    ChunkBytes chunk{.first_layer = first_layer_of(model, layout, virtual_stage),
                     .layers = layers_of(model, layout, virtual_stage),
                     .predictions = virtual_stage == prediction_stage_of(layout) ? model.mtp_layers : 0};
    const LayerCounts count = count_layers(model, layout, chunk);
    const LayerCounts on_gpu =
        count_layers(model, layout, chunk, layout.framework.offloaded_layers - layers_on_the_way);
    // Kept bytes of all layers exist at once; working memory is that of one layer at a time, so the largest counts.
    const auto add = [&](int LayerCounts::*sort, const LayerBytes& layer, double widest) {
        if (count.*sort > 0) {
            chunk.kept += on_gpu.*sort * layer.kept;
            chunk.weight_inputs += count.*sort * layer.weight_inputs;
            chunk.backward = std::max(chunk.backward, layer_backward(layout, layer, widest));
        }
    };
    add(&LayerCounts::dense, parts.dense, parts.widest_dense);
    add(&LayerCounts::dense_in_bf16, parts.dense_in_bf16, parts.widest_dense);
    add(&LayerCounts::expert, parts.expert, parts.widest_expert);
    add(&LayerCounts::expert_in_bf16, parts.expert_in_bf16, parts.widest_expert);
    if (chunk.predictions > 0) {
        const LayerBytes join = join_bytes(model, layout);
        chunk.kept += chunk.predictions * join.kept;
        chunk.weight_inputs += chunk.predictions * join.weight_inputs;
        chunk.backward += join.recomputed;
    }
    if (virtual_stage == virtual_stages(layout) - 1) {
        add_logits(model, layout, parts.embedding, chunk);
        chunk.deferred = layout.framework.deferred_output_wgrads > 0 ? deferred_bytes(model, layout) : 0;
    }
    chunk.backward += weight_gradients(layout, parts, count);
    return chunk;
}

// Parameters of all chunks of a stage on one rank.
struct StageParameters {
    double layers = 0;  // without routed experts
    double routed = 0;
    double tables = 0;          // embeddings and the output layer
    double layers_in_bf16 = 0;  // of `layers`
    double routed_in_bf16 = 0;

    double dense() const { return layers + tables; }
};

StageParameters parameters_of_stage(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int stage,
                                    const std::vector<ChunkBytes>& chunks) {
    StageParameters sum;
    for (const ChunkBytes& chunk : chunks) {
        const LayerCounts count = count_layers(model, layout, chunk);
        sum.layers += count.all_dense() * parts.dense_parameters + count.all_expert() * parts.expert_parameters;
        sum.layers += chunk.predictions * parts.join_parameters;
        sum.routed += count.all_expert() * parts.routed_parameters;
        sum.layers_in_bf16 +=
            count.dense_in_bf16 * parts.dense_parameters + count.expert_in_bf16 * parts.expert_parameters;
        sum.routed_in_bf16 += count.expert_in_bf16 * parts.routed_parameters;
    }
    const bool is_first = holds(layout, stage, 0);
    if (is_first) {
        sum.tables += parts.embedding + parts.positions;
    }
    // A stage with both ends of a model whose embeddings are tied has one table for both.
    if (holds(layout, stage, virtual_stages(layout) - 1) && !(is_first && model.tied_embeddings)) {
        sum.tables += parts.embedding;
    }
    if (has_table_for_predictions(model, layout, stage)) {
        sum.tables += parts.embedding;
    }
    return sum;
}

// Tables are not quantised, nor are the layers that numerics leave in bf16.
void add_states(MemoryUse& use, const Layout& layout, const StageParameters& parameters) {
    Layout in_bf16 = layout;
    if (row_of(layout.numerics.precision).quantises()) {
        in_bf16.numerics = layout.numerics.in_bf16();
    }
    const auto add = [&](double all, double unquantised, int replicas) {
        const StateBytes each = state_bytes(layout, replicas);
        const StateBytes other = state_bytes(in_bf16, replicas);
        use.parameters += bytes(each.parameters * (all - unquantised) + other.parameters * unquantised);
        use.gradients += bytes(each.gradients * all);
        use.optimizer += bytes(each.optimizer * all);
    };
    add(parameters.dense(), parameters.layers_in_bf16 + parameters.tables, layout.replicas());
    add(parameters.routed, parameters.routed_in_bf16, layout.expert_replicas());
}

// Includes layers of multi-token prediction.
std::optional<int> first_layer_of_kind(const Transformer& model, bool with_experts) {
    const int layers = with_experts && model.experts.count == 0 ? 0 : model.layers + model.mtp_layers;
    for (int layer = 0; layer < layers; ++layer) {
        if (model.has_experts(layer) == with_experts) {
            return layer;
        }
    }
    return std::nullopt;
}

}  // namespace

LayoutBytes layout_bytes(const Transformer& model, const Layout& layout) {
    LayoutBytes parts{.embedding = double{1} * model.vocabulary * model.hidden / layout.parallelism.tp,
                      .positions = model.learned_positions ? double{1} * model.sequence * model.hidden : 0,
                      .has_experts = model.experts.count > 0};
    const double t = layout.parallelism.tp;
    const bool leaves_some = layout.numerics.first_layers_bf16 + layout.numerics.last_layers_bf16 > 0;
    Layout in_bf16 = layout;
    if (leaves_some) {
        in_bf16.numerics = layout.numerics.in_bf16();
    }
    if (model.mtp_layers > 0) {
        const JoinParameters join = join_parameters(model);
        parts.join_parameters = static_cast<double>(join.product) / t + static_cast<double>(join.norms);
    }
    if (const std::optional<int> first = first_layer_of_kind(model, false)) {
        const std::vector<Operator> operators = layer_operators(model, layout, *first);
        parts.dense = layer_bytes(model, layout, operators);
        if (leaves_some) {
            parts.dense_in_bf16 = layer_bytes(model, in_bf16, *first);
        }
        const LayerParameters layer = layer_parameters(operators);
        parts.widest_dense = static_cast<double>(layer.spread()) / t + static_cast<double>(layer.replicated);
        parts.dense_parameters = parts.widest_dense + static_cast<double>(layer.norms);
    }
    if (const std::optional<int> first = first_layer_of_kind(model, true)) {
        const std::vector<Operator> operators = layer_operators(model, layout, *first);
        parts.expert = layer_bytes(model, layout, operators);
        if (leaves_some) {
            parts.expert_in_bf16 = layer_bytes(model, in_bf16, *first);
        }
        const LayerParameters layer = layer_parameters(operators);
        const double everywhere = static_cast<double>(layer.spread()) / t + static_cast<double>(layer.replicated);
        parts.expert_parameters = everywhere + static_cast<double>(layer.norms + layer.router);
        parts.routed_parameters =
            static_cast<double>(layer.routed_experts) / (layout.parallelism.ep * layout.parallelism.expert_tp);
        // Experts' products share one buffer for weight gradients that are never read.
        const double one =
            static_cast<double>(layer.routed_experts) / model.experts.count / layout.parallelism.expert_tp;
        parts.widest_expert = everywhere + (is_fully_sharded(layout) ? parts.routed_parameters : one);
    }
    return parts;
}

StageBytes stage_bytes(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int stage) {
    StageBytes result{.deferred = layout.framework.deferred_output_wgrads};
    for (int chunk = 0; chunk < layout.chunks_of_stage(); ++chunk) {
        result.chunks.push_back(chunk_bytes(model, layout, parts, virtual_stage_of(layout, stage, chunk)));
    }
    const StageParameters parameters = parameters_of_stage(model, layout, parts, stage, result.chunks);
    add_states(result.always, layout, parameters);

    if (holds(layout, stage, 0) && has_dropout(model)) {
        result.chunks.front().outside += embedding_mask_bytes(model, layout);
    }
    if (is_fully_sharded(layout)) {
        const double all = parameters.dense() + parameters.routed;
        const double largest = std::max(parts.dense_parameters, parts.expert_parameters + parts.routed_parameters);
        const double gathered = gathered_bytes(layout, all, parameters.tables, largest, parts.embedding);
        for (ChunkBytes& chunk : result.chunks) {
            chunk.forward += gathered;
            chunk.backward += gathered;
        }
    }
    const Spread spread{.parameters = parameters.dense() + parameters.routed,
                        .table = parameters.tables > 0 ? parts.embedding : 0};
    result.step = step_bytes(layout, spread);
    result.always.buffers = bytes(buffer_bytes(model, layout, spread));
    result.always.context = bytes(context_bytes(layout));
    return result;
}

MemoryUse StageBytes::with(double activations, double working) const {
    MemoryUse use = always;
    use.activations = bytes(activations);
    use.working = bytes(working);
    use.reserve = use.context + bytes(allocator_share * (activations + working + static_cast<double>(use.buffers)));
    return use;
}

}  // namespace sim::training
