// DualPipe runs micro-batches through the pipeline from both ends: each stage holds the parts of both directions, and a
// forward pass of one runs beside a backward pass of the other, so that each hides the other's communication.
//
// Stage i holds parts i and p - 1 - i of the model, twice the parameters. Half of the micro-batches enter at stage 0,
// the others at stage p - 1; stage p - 1 - i does for one half what stage i does for the other at the same time.
// Requires p even, m even and at least 2 p. Every stage keeps p + 1 activations. With F = B of the input, on a network
// without costs: m (F + B) + (p / 2 - 1)(F&B + B - 3 W), where B is the whole backward pass and F&B a pair of passes
// side by side; with B = 2 F = 2 W and pairs that hide nothing, m 3 F + (p - 2) F.
// Source: DeepSeek-AI, DeepSeek-V3 Technical Report 2024, section 3.2.1; the order is that of its published DualPipe.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

namespace sim::parallel {

namespace {

// The two directions of a stage: micro-batches that entered at the nearer end of the pipeline, and those that came from
// the far end. They go through chunk 0 and chunk 1.
constexpr int near = 0;
constexpr int far = 1;

// Collects the steps of a stage, each with the next micro-batch of its direction.
class Steps {
public:
    Steps(const PipelineShape& shape, int stage)
        : half_(shape.micro_batches / 2), from_the_end_(stage >= shape.stages / 2) {}

    void forward(int from) { add(PipelineWork::forward, from, forwards_); }
    void backward(int from) { add(PipelineWork::backward, from, backwards_); }
    void backward_input(int from) {
        add(PipelineWork::backward_input, from, backwards_);
        deferred_.push_back(steps_.back());
    }
    // Oldest deferred weight gradient first.
    void backward_weight() {
        steps_.push_back(deferred_.front());
        steps_.back().work = PipelineWork::backward_weight;
        deferred_.pop_front();
    }
    void pair(int forward_from, int backward_from) {
        forward(forward_from);
        steps_.back().pair = InPair::first;
        backward(backward_from);
        steps_.back().pair = InPair::second;
    }
    std::vector<PipelineStep> take() { return std::move(steps_); }

private:
    void add(PipelineWork work, int from, std::array<int, 2>& done) {
        const bool second_half = (from == far) != from_the_end_;
        int& number = done[static_cast<std::size_t>(from)];
        steps_.push_back({.work = work, .micro_batch = (second_half ? half_ : 0) + number, .chunk = from});
        ++number;
    }

    int half_;
    bool from_the_end_;
    std::array<int, 2> forwards_ = {};
    std::array<int, 2> backwards_ = {};
    std::deque<PipelineStep> deferred_;
    std::vector<PipelineStep> steps_;
};

// The number of stages between a stage and the nearer end, and between it and the middle.
struct Depth {
    int outside;
    int inside;
};
Depth depth_of(const PipelineShape& shape, int stage) {
    const int outside = std::min(stage, shape.stages - 1 - stage);
    return {outside, shape.stages / 2 - outside - 1};
}

void fill(Steps& steps, const Depth& depth) {
    for (int i = 0; i < 2 * depth.inside; ++i) {
        steps.forward(near);
    }
    for (int i = 0; i <= depth.outside; ++i) {
        steps.forward(near);
        steps.forward(far);
    }
    for (int i = 0; i < depth.inside; ++i) {
        steps.backward_input(far);
        steps.backward_weight();
        steps.forward(far);
    }
}

// The stages in the middle do not pair their first two passes, which would make the others wait.
void run_pairs(Steps& steps, const Depth& depth, int pairs) {
    for (int i = 0; i < pairs; ++i) {
        if (i == 0 && depth.inside == 0) {
            steps.forward(near);
            steps.backward(far);
        } else {
            steps.pair(near, far);
        }
        steps.pair(far, near);
    }
    for (int i = 0; i < depth.inside; ++i) {
        steps.backward(far);
        steps.pair(far, near);
    }
}

// From the middle of the last backward passes on, weight gradients are deferred to fill time in which the stage would
// have waited.
void drain(Steps& steps, const Depth& depth) {
    const int last = depth.outside + 1;
    for (int i = 0; i < 2 * last; ++i) {
        const int from = i % 2 == 0 ? far : near;
        if (i >= last) {
            steps.backward_input(from);
        } else {
            steps.backward(from);
        }
    }
    for (int i = 0; i < depth.inside; ++i) {
        steps.backward_weight();
        steps.backward_input(near);
    }
    for (int i = 0; i < last; ++i) {
        steps.backward_weight();
    }
}

}  // namespace

bool fits_dualpipe(const PipelineShape& shape) {
    return shape.stages % 2 == 0 && shape.micro_batches % 2 == 0 && shape.micro_batches >= 2 * shape.stages;
}

void check_dualpipe(const PipelineShape& shape) {
    if (shape.stages % 2 != 0) {
        throw ProgramError(fmt::format("dualpipe needs an even number of stages, not {}; {}{} would fit", shape.stages,
                                       shape.stages > 1 ? fmt::format("{} or ", shape.stages - 1) : "",
                                       shape.stages + 1));
    }
    if (!fits_dualpipe(shape)) {
        const int least = 2 * shape.stages;
        const int next = std::max(least, shape.micro_batches + 1);
        throw ProgramError(
            fmt::format("dualpipe needs an even number of micro-batches, at least twice the stages: {} over {}; {} "
                        "would fit",
                        shape.micro_batches, shape.stages, next));
    }
}

std::vector<PipelineStep> dualpipe(const PipelineShape& shape, int stage) {
    check_dualpipe(shape);
    const Depth depth = depth_of(shape, stage);
    Steps steps(shape, stage);
    fill(steps, depth);
    run_pairs(steps, depth, shape.micro_batches / 2 - shape.stages + depth.outside + 1);
    drain(steps, depth);
    return steps.take();
}

PipelineBubble dualpipe_bubble(const PipelineShape& shape) {
    const double waits = shape.stages - 2;
    return {waits / (3.0 * shape.micro_batches + waits), "(p-2) / (3 m + p-2)"};
}

PipelineInFlight dualpipe_in_flight(const PipelineShape& shape, int) {
    return {.activations = shape.stages + 1};
}

Duration dualpipe_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    return passes_without_pause(shape, passes);
}

}  // namespace sim::parallel
