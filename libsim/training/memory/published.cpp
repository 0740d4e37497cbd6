#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/memory/replay.hpp"
#include "libsim/training/parameters.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

MemoryUse published_use(const Transformer& model, const Layout& layout, int stage) {
    Transformer matrices = model;
    matrices.biases = false;
    matrices.qkv_biases = false;
    const StageBytes bytes = stage_bytes(model, layout, layout_bytes(model, layout), stage);
    OfLayerKinds<LayerParameters> kinds;
    double dense = 0;
    double routed = 0;
    for (const ChunkBytes& chunk : bytes.chunks) {
        for (int layer = chunk.first_layer; layer < chunk.first_layer + chunk.layers; ++layer) {
            const LayerParameters& all =
                kinds.of(matrices, layer, [&](int first) { return layer_parameters(matrices, first); });
            dense += static_cast<double>(all.spread()) / layout.parallelism.tp;
            dense += static_cast<double>(all.replicated + all.router);
            routed += static_cast<double>(all.routed_experts) / (layout.parallelism.ep * layout.parallelism.expert_tp);
        }
    }
    const StateBytes each = state_bytes(layout, layout.shards());
    const StateBytes each_routed = state_bytes(layout, layout.expert_shards());
    MemoryUse use;
    use.parameters = std::llround(each.parameters * dense + each_routed.parameters * routed);
    use.gradients = std::llround(each.gradients * dense + each_routed.gradients * routed);
    use.optimizer = std::llround(each.optimizer * dense + each_routed.optimizer * routed);
    double most = 0;
    replay(bytes, layout.parallelism.schedule->steps(layout.pipeline_shape(), stage),
           [&](const PipelineStep&, const KeptInStep& kept) { most = std::max(most, kept.activations); });
    use.activations = std::llround(most);
    return use;
}

}  // namespace sim::training
