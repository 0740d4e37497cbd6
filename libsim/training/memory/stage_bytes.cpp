#include "libsim/training/memory/stage_bytes.hpp"

#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/memory/outside_layers.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/split.hpp"

#include <algorithm>
#include <cmath>

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

// The layers of one kind.
struct KindCount {
    int quantised = 0;  // if the layout's precision is
    int in_bf16 = 0;

    int all() const { return quantised + in_bf16; }
};
// By LayerKind::index(). Layers of multi-token prediction are of the kind that would follow the model's own.
using LayerCounts = std::array<KindCount, LayerKind::count>;

// Counts the layers from `first` on.
LayerCounts count_layers(const Transformer& model, const Layout& layout, const ChunkBytes& chunk, int first = 0) {
    LayerCounts counts;
    for (int layer = std::max(first, chunk.first_layer); layer < chunk.first_layer + chunk.layers; ++layer) {
        KindCount& count = counts[model.kind_of(layer).index()];
        (layout.numerics.leaves_in_bf16(layer, model.layers) ? count.in_bf16 : count.quantised) += 1;
    }
    counts[model.kind_of(model.layers).index()].quantised += chunk.predictions;
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
    double widest = 0;
    for (const std::size_t kind : parts.kinds_there()) {
        widest = std::max(widest, count[kind].all() > 0 ? parts.kinds[kind].widest : 0);
    }
    return element_bytes(layout) * widest;
}

ChunkBytes chunk_bytes(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int virtual_stage) {
    ChunkBytes chunk{.first_layer = first_layer_of(model, layout, virtual_stage),
                     .layers = layers_of(model, layout, virtual_stage),
                     .predictions = virtual_stage == prediction_stage_of(layout) ? model.mtp_layers : 0};
    const LayerCounts count = count_layers(model, layout, chunk);
    const int copied = layout.framework.offloaded_layers - layers_on_the_way;
    const LayerCounts on_gpu = copied > chunk.first_layer ? count_layers(model, layout, chunk, copied) : count;
    // Kept bytes of all layers exist at once; working memory is that of one layer at a time, so the largest counts.
    const auto add = [&](int layers, int layers_on_gpu, const LayerBytes& layer, double widest) {
        if (layers > 0) {
            chunk.kept += layers_on_gpu * layer.kept;
            chunk.weight_inputs += layers * layer.weight_inputs;
            chunk.backward = std::max(chunk.backward, layer_backward(layout, layer, widest));
        }
    };
    for (const std::size_t kind : parts.kinds_there()) {
        const KindBytes& of = parts.kinds[kind];
        add(count[kind].quantised, on_gpu[kind].quantised, of.bytes, of.widest);
        add(count[kind].in_bf16, on_gpu[kind].in_bf16, of.bytes_in_bf16, of.widest);
    }
    if (chunk.predictions > 0) {
        const LayerBytes join = join_bytes(model, layout);
        chunk.kept += chunk.predictions * join.kept;
        chunk.weight_inputs += chunk.predictions * join.weight_inputs;
        chunk.backward += join.recomputed;
    }
    if (virtual_stage == 0 && model.tower) {
        chunk.kept += parts.tower.kept;
        chunk.weight_inputs += parts.tower.weight_inputs;
        chunk.forward = std::max(chunk.forward, parts.tower.forward);
        chunk.backward = std::max(chunk.backward, parts.tower.backward);
    }
    // A stage of the decoder keeps what it receives of the encoder, for the gradients of its keys and values.
    if (model.encoder && virtual_stage > 0 && !model.encodes(chunk.first_layer + chunk.layers - 1)) {
        chunk.outside += encoded_bytes(model, layout);
    }
    if (virtual_stage == virtual_stages(layout) - 1) {
        add_logits(model, layout, layout.adapters.exist() ? 0 : parts.embedding, chunk);
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
    TrainedPart layers_trained;
    TrainedPart routed_trained;
    TrainedPart tables_trained;

    double dense() const { return layers + tables; }
    // Numbers that have gradients.
    double trained(const Layout& layout) const {
        return layout.adapters.exist() ? layers_trained.adapters + routed_trained.adapters : dense() + routed;
    }
};

StageParameters parameters_of_stage(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int stage,
                                    const std::vector<ChunkBytes>& chunks) {
    StageParameters sum;
    for (const ChunkBytes& chunk : chunks) {
        const LayerCounts count = count_layers(model, layout, chunk);
        sum.layers += chunk.predictions * parts.join_parameters;
        sum.layers_trained += parts.join_trained.times(chunk.predictions);
        for (const std::size_t kind : parts.kinds_there()) {
            const KindBytes& of = parts.kinds[kind];
            sum.layers += count[kind].all() * of.parameters;
            sum.routed += count[kind].all() * of.routed;
            sum.layers_in_bf16 += count[kind].in_bf16 * of.parameters;
            sum.routed_in_bf16 += count[kind].in_bf16 * of.routed;
            if (parts.has_trained) {
                sum.layers_trained += of.trained.times(count[kind].all());
                sum.routed_trained += of.routed_trained.times(count[kind].all());
            }
        }
    }
    const auto add_table = [&] {
        sum.tables += parts.embedding;
        sum.tables_trained += parts.embedding_trained;
    };
    const bool is_first = holds(layout, stage, 0);
    if (is_first) {
        sum.tables += parts.inputs;
        sum.tables_trained += parts.inputs_trained;
    }
    if (is_first && model.tower) {
        sum.layers += parts.tower.trained;
        sum.layers_trained += parts.tower.states;
    }
    // A stage with both ends of a model whose embeddings are tied has one table for both.
    if (holds(layout, stage, virtual_stages(layout) - 1) && !(is_first && model.tied_embeddings)) {
        add_table();
    }
    if (has_table_for_predictions(model, layout, stage)) {
        add_table();
    }
    return sum;
}

// Sharded as the other states of the optimizer.
double further_states(const Layout& layout, double whole, int shards) {
    return layout.framework.offload_optimizer ? 0 : whole / (layout.parallelism.zero >= 1 ? shards : 1);
}

// Tables are not quantised, nor are the layers that numerics leave in bf16.
void add_states(MemoryUse& use, const Layout& layout, const StageParameters& parameters) {
    Layout in_bf16 = layout;
    if (row_of(layout.numerics.precision).quantises()) {
        in_bf16.numerics = layout.numerics.in_bf16();
    }
    const auto add = [&](double all, double unquantised, const TrainedPart& part, int shards) {
        const StateBytes each = state_bytes(layout, shards);
        const StateBytes other = state_bytes(in_bf16, shards);
        const double trained = layout.adapters.exist() ? part.adapters : all;
        const double in_format = trained - (layout.adapters.exist() ? 0 : unquantised);
        const double frozen = part.frozen_bytes / (is_fully_sharded(layout) ? shards : 1);
        use.parameters += bytes(each.parameters * in_format + other.parameters * (trained - in_format) + frozen);
        use.gradients += bytes(each.gradients * trained);
        use.optimizer += bytes(each.optimizer * trained + further_states(layout, part.further_states, shards));
    };
    TrainedPart dense = parameters.layers_trained;
    dense += parameters.tables_trained;
    add(parameters.dense(), parameters.layers_in_bf16 + parameters.tables, dense, layout.shards());
    add(parameters.routed, parameters.routed_in_bf16, parameters.routed_trained, layout.expert_shards());
}

// Only trained weights have gradients.
void add_trained(const Layout& layout, const std::vector<Operator>& operators, KindBytes& kind) {
    const LayerTraining layer = layer_training(operators);
    kind.trained = trained_part(layout, layer.dense, kind.parameters);
    kind.routed_trained = trained_part(layout, layer.routed, kind.routed);
    kind.widest_packed = std::max(layer.dense.widest_packed, layer.routed.widest_packed);
    if (layout.adapters.exist()) {
        kind.widest = layer.dense.adapters + layer.routed.adapters;
    }
}

KindBytes kind_bytes(const Transformer& model, const Layout& layout, const Layout* in_bf16, int first) {
    const std::vector<Operator> operators = layer_operators(model, layout, first);
    KindBytes kind{.bytes = layer_bytes(model, layout, operators)};
    if (in_bf16 != nullptr) {
        kind.bytes_in_bf16 = layer_bytes(model, *in_bf16, first);
    }
    const LayerParameters layer = layer_parameters(operators);
    const double everywhere =
        static_cast<double>(layer.spread()) / layout.parallelism.tp + static_cast<double>(layer.replicated);
    kind.parameters = everywhere + static_cast<double>(layer.norms + layer.router);
    kind.widest = everywhere;
    if (model.has_experts(first)) {
        const double whole = static_cast<double>(layer.routed_experts);
        kind.routed = whole / (layout.parallelism.ep * layout.parallelism.expert_tp);
        // Experts' products share one buffer for weight gradients that are never read.
        kind.widest +=
            is_fully_sharded(layout) ? kind.routed : whole / model.experts.count / layout.parallelism.expert_tp;
    }
    if (has_trained_parts(layout)) {
        add_trained(layout, operators, kind);
    }
    return kind;
}

// Parameters of the layer that has the most.
double largest_layer(const LayoutBytes& parts) {
    double largest = 0;
    for (const std::size_t kind : parts.kinds_there()) {
        largest = std::max(largest, parts.kinds[kind].parameters + parts.kinds[kind].routed);
    }
    return largest;
}

}  // namespace

namespace {

// Tables of words are divided over ranks; what else there is, every rank has.
double input_parameters(const Transformer& model, double embedding, double tp) {
    if (model.patches) {
        const Parameters all = parameters_of(model);
        return static_cast<double>(all.embedding + all.positions);
    }
    if (model.per_layer) {
        const Parameters all = parameters_of(model);
        const double table = double{1} * model.per_layer->vocabulary * model.per_layer->width * model.layers;
        return embedding + table / tp + static_cast<double>(all.positions + all.final_norm) - table;
    }
    return embedding + (model.learned_positions ? double{1} * model.sequence * model.hidden : 0);
}

void add_trained_tables(const Transformer& model, const Layout& layout, LayoutBytes& parts) {
    parts.embedding_trained = trained_table(layout, double{1} * model.vocabulary / layout.parallelism.tp, model.hidden);
    parts.inputs_trained = trained_table(layout, parts.inputs / model.hidden, model.hidden);
    if (model.mtp_layers > 0) {
        const PartTraining join = layer_training(join_operators(model, layout)).dense;
        parts.join_trained = trained_part(layout, join, parts.join_parameters);
    }
}

bool unpacks(const Layout& layout) {
    return layout.adapters.exist() && row_of(layout.adapters.base).quantises();
}

}  // namespace

LayoutBytes layout_bytes(const Transformer& model, const Layout& layout) {
    LayoutBytes parts{.embedding = double{1} * model.vocabulary * model.hidden / layout.parallelism.tp,
                      .has_trained = has_trained_parts(layout)};
    const double t = layout.parallelism.tp;
    parts.inputs = input_parameters(model, parts.embedding, t);
    const bool leaves_some = layout.numerics.first_layers_bf16 + layout.numerics.last_layers_bf16 > 0;
    Layout in_bf16 = layout;
    if (leaves_some) {
        in_bf16.numerics = layout.numerics.in_bf16();
    }
    if (model.mtp_layers > 0) {
        const JoinParameters join = join_parameters(model);
        parts.join_parameters = static_cast<double>(join.product) / t + static_cast<double>(join.norms);
    }
    if (parts.has_trained) {
        add_trained_tables(model, layout, parts);
    }
    if (model.tower) {
        parts.tower = tower_bytes(model, layout);
    }
    const auto first = first_layers_of_kinds(model);
    for (std::size_t kind = 0; kind < first.size(); ++kind) {
        if (first[kind]) {
            parts.there[parts.kinds_of_model++] = static_cast<std::uint8_t>(kind);
            parts.kinds[kind] = kind_bytes(model, layout, leaves_some ? &in_bf16 : nullptr, *first[kind]);
            parts.unpacked = std::max(parts.unpacked, unpacks(layout) ? parts.kinds[kind].widest_packed : 0);
        }
    }
    return parts;
}

namespace {

// The bytes that FSDP gathers of a stage: frozen weights in their format.
Gathered gathered_of(const Layout& layout, const LayoutBytes& parts, const StageParameters& stage) {
    const double e = element_bytes(layout);
    if (!layout.adapters.exist()) {
        return {.layers = e * (stage.layers + stage.routed),
                .tables = e * stage.tables,
                .layer = e * largest_layer(parts),
                .table_gradient = stage.tables > 0 ? e * parts.embedding : 0};
    }
    const auto both = [&](const TrainedPart& part) { return part.frozen_bytes + e * part.adapters; };
    double layer = 0;
    for (const std::size_t kind : parts.kinds_there()) {
        layer = std::max(layer, both(parts.kinds[kind].trained) + both(parts.kinds[kind].routed_trained));
    }
    return {.layers = both(stage.layers_trained) + both(stage.routed_trained),
            .tables = both(stage.tables_trained),
            .layer = layer,
            .table_gradient = 0};
}

}  // namespace

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
    if (model.per_layer && holds(layout, stage, 0)) {
        result.chunks.front().outside += per_layer_bytes(model, layout);
    }
    if (is_fully_sharded(layout)) {
        const double gathered = gathered_bytes(layout, gathered_of(layout, parts, parameters));
        for (ChunkBytes& chunk : result.chunks) {
            chunk.forward += gathered;
            chunk.backward += gathered;
        }
    }
    for (ChunkBytes& chunk : result.chunks) {
        chunk.forward += parts.unpacked * element_bytes(layout);
        chunk.backward += parts.unpacked * element_bytes(layout);
    }
    const Spread spread{.parameters = parameters.trained(layout),
                        .table = parameters.tables > 0 && !layout.adapters.exist() ? parts.embedding : 0};
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
