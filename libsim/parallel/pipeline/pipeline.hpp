// run_pipeline() runs one rank's part of a pipelined training step: it carries out the steps of its stage's schedule.
//
// A step first receives its input, then computes, then sends its output asynchronously: the stage continues computing
// meanwhile. On a network without costs the times are those of run_free(); see also docs/formulas.md.
// The last virtual stage of a GPU sends to the first one of the next GPU; a pipeline of one stage sends nothing.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sim::parallel {

// The body is what the program does in a step; a step costs what the program computes in it. Its result is sent.
struct PipelineBody {
    // `input` is empty on the first virtual stage. Returns the next stage's input; the last one's result is not used.
    std::function<std::vector<double>(const PipelineStep&, std::vector<double> input)> forward;
    // Runs backward and backward_input. `gradient` is empty on the last virtual stage. Returns the gradient for the
    // previous stage.
    std::function<std::vector<double>(const PipelineStep&, std::vector<double> gradient)> backward;
    // Runs backward_weight; optional if the schedule does not split backward.
    std::function<void(const PipelineStep&)> backward_weight = nullptr;
};

struct PipelineOptions {
    Size boundary = Bytes{0};        // cost of one micro-batch between two virtual stages, in each direction
    Size activations = Bytes{0};     // memory of one micro-batch in one chunk, from its forward until the end of its
                                     // backward (split: of backward_weight)
    bool blocking_sends = false;     // the stage resumes only when its send has left. (It never waits for the receiver;
                                     // blocking_sends.hpp tells what would happen then.)
    Tag first_tag = Tag{1'000'000};  // the first of the hop_count(shape) tags of its messages
    // Micro-batches cross each boundary in the same order on both sides, as in all schedules of schedules.hpp. Then a
    // single tag per boundary and direction suffices, and the last message to leave is the last one sent.
    bool in_order = false;
};

// The labels of messages between stages in traces: those of the forward pass, and those of the backward pass.
constexpr std::string_view label_of_hop(bool backward) {
    return backward ? "gradient" : "activation";
}

// Returns when the steps are done and all sends have left.
// Requires: every rank of `stages`, in their order, calls it with the same shape and options, and with `steps` of a
// single schedule (see check_schedule.hpp). Throws ProgramError if this rank is not a stage or a step is outside
// `shape`.
void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const PipelineBody& body, const PipelineOptions& options = {});

// By size alone: observes nothing, so the program can be recorded. `compute` is called for every step.
void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const std::function<void(const PipelineStep&)>& compute, const PipelineOptions& options = {});

}  // namespace sim::parallel
