// These closed formulas give the facts of a pipeline schedule: its bubble, the activations it keeps, and the least time
// of its passes.
//
// p stages, m micro-batches, v chunks. Each schedule has the formulas in its own file; tests compare them with
// run_free() and most_in_flight(), which work from the steps.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/units.hpp"

#include <string_view>

namespace sim::parallel {

// The fraction of all stages' time in which they do not compute, with balanced stages, free messages and a backward
// pass of twice the forward pass. If training steps overlap, the long-run value.
struct PipelineBubble {
    double share = 0;
    std::string_view formula;
};

// The most that a stage keeps. Activations count from the end of their forward pass to the end of their backward pass;
// if that is split, the gradient of the weights still needs its inputs after the gradient of the input.
struct PipelineInFlight {
    int activations = 0;    // micro-batches in full
    int weight_inputs = 0;  // micro-batches with only the inputs of the weights' gradients left
};

// The time of one micro-batch in all chunks of a stage (both ways: one of each half), and in the later stages.
struct StagePasses {
    Duration forward{0};
    Duration input{0};   // backward: the gradient of the input
    Duration weight{0};  // backward: the gradient of the weights
    Duration beyond{0};  // forward and backward of all later stages

    Duration backward() const { return input + weight; }
};

// The passes of all micro-batches without pauses: a lower bound for every schedule.
inline Duration passes_without_pause(const PipelineShape& shape, const StagePasses& passes) {
    return std::int64_t{shape.micro_batches_of_chunk()} * (passes.forward + passes.backward());
}

}  // namespace sim::parallel
