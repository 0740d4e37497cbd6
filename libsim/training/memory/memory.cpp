#include "libsim/training/memory.hpp"

#include "libsim/training/memory/replay.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

std::vector<PipelineStep> steps_of(const Layout& layout, int stage) {
    return layout.parallelism.schedule->steps(layout.pipeline_shape(), stage);
}

// The first layer that does not fit in a step: a forward pass fills the memory layer by layer, and a backward pass
// starts with the last layer.
int first_too_many(const StageBytes& stage, const PipelineStep& step, const KeptInStep& kept, std::int64_t capacity) {
    const ChunkBytes& chunk = stage.chunks[static_cast<std::size_t>(step.chunk)];
    const int last = chunk.first_layer + std::max(chunk.layers, 1) - 1;
    if (step.work != PipelineWork::forward) {
        return last;
    }
    const double each = chunk.kept / std::max(chunk.layers, 1);
    for (int layer = chunk.first_layer; layer < last; ++layer) {
        const double until = kept.activations - chunk.kept + each * (layer - chunk.first_layer + 1);
        if (stage.with(until, kept.working).total() > capacity) {
            return layer;
        }
    }
    return last;
}

StageMemory memory_of_stage(const StageBytes& bytes, const Layout& layout, int stage, std::int64_t capacity) {
    const PipelineShape shape = layout.pipeline_shape();
    StageMemory result{.stage = stage};
    if (bytes.with(0, 0).total() > capacity) {
        result.overflow = -1;
        result.overflow_when = "before the first step";
    }
    std::int64_t most = -1;
    PipelineStep fullest;
    KeptInStep kept_at_most{.activations = -1, .working = -1};
    replay(bytes, steps_of(layout, stage), [&](const PipelineStep& step, const KeptInStep& kept) {
        // A fast path for nearly all steps: one that keeps no more than the fullest step needs no more.
        if (kept.activations <= kept_at_most.activations && kept.working <= kept_at_most.working) {
            return;
        }
        const MemoryUse use = bytes.with(kept.activations, kept.working);
        if (use.total() > most) {
            most = use.total();
            result.peak = use;
            result.in_flight = kept.in_flight;
            fullest = step;
            kept_at_most = kept;
        }
        if (use.total() > capacity && !result.overflow) {
            result.overflow = first_too_many(bytes, step, kept, capacity);
            result.overflow_when = describe(shape, step);
        }
    });
    result.when = describe(shape, fullest);
    const MemoryUse step = bytes.with(0, bytes.step);
    if (step.total() > most) {
        result.peak = step;
        result.in_flight = 0;
        result.when = "optimizer step";
    }
    if (step.total() > capacity && !result.overflow) {
        result.overflow = -1;
        result.overflow_when = "optimizer step";
    }
    return result;
}

}  // namespace

const StageMemory& Memory::fullest() const {
    return *std::max_element(stages.begin(), stages.end(), [](const StageMemory& a, const StageMemory& b) {
        return a.peak.total() < b.peak.total();
    });
}

bool Memory::fits() const {
    return std::all_of(stages.begin(), stages.end(),
                       [&](const StageMemory& stage) { return stage.peak.total() <= capacity; });
}

Memory memory_of(const Transformer& model, const Machine& machine, const Layout& layout) {
    Memory memory{.capacity = machine.gpu.memory_bytes};
    const LayoutBytes parts = layout_bytes(model, layout);
    for (int stage = 0; stage < layout.parallelism.pp; ++stage) {
        memory.stages.push_back(
            memory_of_stage(stage_bytes(model, layout, parts, stage), layout, stage, memory.capacity));
    }
    return memory;
}

std::vector<MemoryAt> memory_over_time(const Transformer& model, const Machine&, const Layout& layout, int stage) {
    const PipelineShape shape = layout.pipeline_shape();
    const StageBytes bytes = stage_bytes(model, layout, layout_bytes(model, layout), stage);
    std::vector<MemoryAt> times{{"before the first step", bytes.with(0, 0)}};
    replay(bytes, steps_of(layout, stage), [&](const PipelineStep& step, const KeptInStep& kept) {
        times.push_back({describe(shape, step), bytes.with(kept.activations, kept.working)});
    });
    times.push_back({"optimizer step", bytes.with(0, bytes.step)});
    return times;
}

std::int64_t layer_activations(const Transformer& model, const Layout& layout, int layer) {
    Layout own = layout;
    if (layout.numerics.leaves_in_bf16(layer, model.layers)) {
        own.numerics = layout.numerics.in_bf16();
    }
    return std::llround(layer_bytes(model, own, layer).kept);
}

}  // namespace sim::training
