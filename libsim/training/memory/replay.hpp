// The replay goes through a stage's schedule step by step, with the bytes kept in each: it is the one reader of steps
// for peaks and timelines.
//
// Cost: linear in the steps.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/training/memory/stage_bytes.hpp"

#include <functional>
#include <span>

namespace sim::training {

// The most of a step: a forward's activations count in it, a backward's still do.
struct KeptInStep {
    double activations = 0;
    double working = 0;
    int in_flight = 0;  // micro-batches, counted in every chunk, whose backward is not done
};

using OnStep = std::function<void(const PipelineStep&, const KeptInStep&)>;
void replay(const StageBytes& stage, std::span<const PipelineStep> steps, const OnStep& on_step);

}  // namespace sim::training
