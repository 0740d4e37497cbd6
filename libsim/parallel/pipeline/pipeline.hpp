// run_pipeline() runs one rank's part of a pipelined training step: it carries out the steps of its stage's schedule.
//
// A step first receives what it waits for, then computes, then sends what it made, asynchronously: the stage computes
// on while it leaves. Times on a network that costs nothing are those of run_free(); see also docs/formulas.md.
// The last virtual stage of a GPU hands over to the first one of the next; a pipeline of one stage sends nothing.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sim::parallel {

// The body is what the program does in a step; a step costs what the program computes in it. What it returns is sent.
struct PipelineBody {
    // `input` is empty on the first virtual stage. Returns what the next one gets; the last one's is not used.
    std::function<std::vector<double>(const PipelineStep&, std::vector<double> input)> forward;
    // Runs backward and backward_input. `gradient` is empty on the last virtual stage. Returns what the one before
    // gets.
    std::function<std::vector<double>(const PipelineStep&, std::vector<double> gradient)> backward;
    // Runs backward_weight; may be left out where no step is one.
    std::function<void(const PipelineStep&)> backward_weight = nullptr;
};

struct PipelineOptions {
    Size boundary = Bytes{0};        // what one micro-batch costs between two virtual stages, in each direction
    Size activations = Bytes{0};     // memory of one micro-batch in one chunk, from its forward until the end of its
                                     // backward (split: of backward_weight)
    bool blocking_sends = false;     // the stage resumes only when its send has left. (It never waits for the
                                     // receiver: what would happen then, says blocking_sends.hpp)
    Tag first_tag = Tag{1'000'000};  // its messages have hop_count(shape) tags from here on
    // Micro-batches go over each boundary in the same order on both sides, as in all schedules of schedules.hpp. A tag
    // for each boundary and direction will do then, and the last message to have left is the last one sent.
    bool in_order = false;
};

// The labels of messages between stages in traces: those of the forward pass, and those of the backward pass.
constexpr std::string_view label_of_hop(bool backward) {
    return backward ? "gradient" : "activation";
}

// Returns when the steps are done and what was sent has left.
// Requires: every rank of `stages`, in their order, calls it with the same shape and options, and with `steps` that
// are one schedule (see check_schedule.hpp). Throws ProgramError if this rank is no stage or a step is out of `shape`.
void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const PipelineBody& body, const PipelineOptions& options = {});

// By size alone: nothing is observed, so that the program can be recorded. `compute` is called for every step.
void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const std::function<void(const PipelineStep&)>& compute, const PipelineOptions& options = {});

}  // namespace sim::parallel
