// Zero-bubble schedules share one order of steps: forwards ahead, then alternately a forward and a backward of the
// input, with the weight gradients some micro-batches behind.
//
// H1 is 1F1B with a split backward pass. The gradient of the input is sent on at once; that of the weights fills the
// time in which the stage would have waited. Stage i defers the weight gradients by i micro-batches, so that every
// stage keeps as many as 1F1B's first, min(p, m), until the gradient of the weights; min(p - i, m) until that of the
// input. On a network without costs and with F = B = W: m (F + B + W) + (p - 1)(F + B - W) for m >= p, a third of
// 1F1B's idle time; F (2 p + 2 m - 1) for m <= p.
//
// H2 runs twice as many forwards ahead as H1, so that no stage ever waits between its first and last step. The stages
// begin one after another and end in the same order; the next training step fills the gap if nothing synchronizes them
// in between: the optimizer's update must not wait for all of them.
// Stage i runs 2 (p - i - 1) forwards ahead and defers the weight gradients by 2 i micro-batches: every stage keeps
// min(2 p - 1, m) until the gradient of the weights.
// On a network without costs, with F = B = W and m >= 2 p - 1: a stage is busy from its first step to its last, m (F +
// B + W).
//
// Source: Qi et al., Zero Bubble Pipeline Parallelism, 2023.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include <algorithm>

namespace sim::parallel {

namespace {

struct ZeroBubble {
    int ahead = 0;     // forwards before the first backward's own
    int deferred = 0;  // micro-batches by which the weight gradients are deferred
};

// Both are limited by the number of micro-batches.
std::vector<PipelineStep> zero_bubble(const PipelineShape& shape, const ZeroBubble& stage) {
    const int m = shape.micro_batches;
    const int ahead = std::min(stage.ahead, m);
    const int deferred = std::min(stage.deferred, m);
    std::vector<PipelineStep> steps;
    steps.reserve(3 * static_cast<std::size_t>(m));
    for (int i = 0; i < ahead; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < m; ++i) {
        if (ahead + i < m) {
            steps.push_back({PipelineWork::forward, ahead + i});
        }
        steps.push_back({PipelineWork::backward_input, i});
        if (i >= deferred) {
            steps.push_back({PipelineWork::backward_weight, i - deferred});
        }
    }
    for (int i = m - deferred; i < m; ++i) {
        steps.push_back({PipelineWork::backward_weight, i});
    }
    return steps;
}

// At the end of the forwards ahead; by then some weight gradients have been deferred.
PipelineInFlight zero_bubble_in_flight(const PipelineShape& shape, const ZeroBubble& stage) {
    const int m = shape.micro_batches;
    return {.activations = std::min(stage.ahead + 1, m),
            .weight_inputs = std::clamp(m - 1 - stage.ahead, 0, stage.deferred)};
}

}  // namespace

std::vector<PipelineStep> zb_h1(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = shape.stages - stage - 1, .deferred = stage});
}

PipelineBubble zb_h1_bubble(const PipelineShape& shape) {
    const double others = shape.stages - 1;
    return {others / (3.0 * shape.micro_batches + others), "(p-1) / (3 m + p-1)"};
}

PipelineInFlight zb_h1_in_flight(const PipelineShape& shape, int stage) {
    return zero_bubble_in_flight(shape, {.ahead = shape.stages - stage - 1, .deferred = stage});
}

Duration zb_h1_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    const Duration idle = (shape.stages - 1) * (passes.forward + passes.input - passes.weight);
    return passes_without_pause(shape, passes) + std::max(Duration{0}, idle);
}

std::vector<PipelineStep> zb_h2(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = 2 * (shape.stages - stage - 1), .deferred = 2 * stage});
}

PipelineBubble zb_h2_bubble(const PipelineShape&) {
    return {0, "none"};
}

PipelineInFlight zb_h2_in_flight(const PipelineShape& shape, int stage) {
    return zero_bubble_in_flight(shape, {.ahead = 2 * (shape.stages - stage - 1), .deferred = 2 * stage});
}

Duration zb_h2_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    return passes_without_pause(shape, passes);
}

}  // namespace sim::parallel
