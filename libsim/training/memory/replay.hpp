// The replay goes through a stage's schedule step by step and tracks the bytes kept in each: peaks and timelines are
// both computed here.
//
// Cost: linear in the steps.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/training/memory/stage_bytes.hpp"

#include <span>

namespace sim::training {

// The most of a step: activations count from their forward pass to the end of their backward pass.
struct KeptInStep {
    double activations = 0;
    double working = 0;
    int in_flight = 0;  // micro-batches, counted per chunk, whose backward pass is not done
};

// Calls on_step(const PipelineStep&, const KeptInStep&) for each step; a template, because a search calls it millions
// of times.
template <class OnStep>
void replay(const StageBytes& stage, std::span<const PipelineStep> steps, OnStep&& on_step) {
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
        if (step.micro_batch < stage.deferred) {
            activations += chunk.deferred;
        }
    }
}

}  // namespace sim::training
