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
        sum.layers += chunk.predictions * parts.join_parameters;
        for (const std::size_t kind : parts.kinds_there()) {
            const KindBytes& of = parts.kinds[kind];
            sum.layers += count[kind].all() * of.parameters;
            sum.routed += count[kind].all() * of.routed;
            sum.layers_in_bf16 += count[kind].in_bf16 * of.parameters;
            sum.routed_in_bf16 += count[kind].in_bf16 * of.routed;
        }
    }
    const bool is_first = holds(layout, stage, 0);
    if (is_first) {
        sum.tables += parts.inputs;
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
    add(parameters.dense(), parameters.layers_in_bf16 + parameters.tables, layout.shards());
    add(parameters.routed, parameters.routed_in_bf16, layout.expert_shards());
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
double input_parameters(const Transformer& model, double embedding) {
    if (model.patches) {
        const Parameters all = parameters_of(model);
        return static_cast<double>(all.embedding + all.positions);
    }
    return embedding + (model.learned_positions ? double{1} * model.sequence * model.hidden : 0);
}

}  // namespace

LayoutBytes layout_bytes(const Transformer& model, const Layout& layout) {
    LayoutBytes parts{.embedding = double{1} * model.vocabulary * model.hidden / layout.parallelism.tp};
    parts.inputs = input_parameters(model, parts.embedding);
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
    const auto first = first_layers_of_kinds(model);
    for (std::size_t kind = 0; kind < first.size(); ++kind) {
        if (first[kind]) {
            parts.there[parts.kinds_of_model++] = static_cast<std::uint8_t>(kind);
            parts.kinds[kind] = kind_bytes(model, layout, leaves_some ? &in_bf16 : nullptr, *first[kind]);
        }
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
        const double gathered = gathered_bytes(layout, all, parameters.tables, largest_layer(parts), parts.embedding);
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
