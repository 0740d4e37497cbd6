#include "libsim/training/memory/replay.hpp"

namespace sim::training {

void replay(const StageBytes& stage, std::span<const PipelineStep> steps, const OnStep& on_step) {
    double activations = 0;
    double outside = 0;
    int in_flight = 0;
    for (const PipelineStep& step : steps) {
        const ChunkBytes& chunk = stage.chunks[static_cast<std::size_t>(step.chunk)];
        if (step.work == PipelineWork::forward) {
            activations += chunk.kept;
            outside += chunk.outside;
            ++in_flight;
            on_step(step, {activations, outside + chunk.forward, in_flight});
            continue;
        }
        const bool weights_alone = step.work == PipelineWork::backward_weight;
        on_step(step, {activations, outside + (weights_alone ? 0 : chunk.backward), in_flight});
        if (weights_alone) {
            activations -= chunk.weight_inputs;
            continue;
        }
        activations -= chunk.kept;
        activations += step.work == PipelineWork::backward_input ? chunk.weight_inputs : 0;
        outside -= chunk.outside;
        --in_flight;
    }
}

}  // namespace sim::training
