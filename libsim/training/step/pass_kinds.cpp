// The kinds of passes of a chunk, and the parts of a pass's time.
#include "libsim/training/step/stage_step.hpp"

namespace sim::training {

TimeParts parts_of(const Piece& piece) {
    const GradientBucket& bucket = *piece.bucket;
    switch (piece.work) {
        case StepWork::forward: return bucket.forward;
        case StepWork::backward_input: return bucket.backward_input;
        case StepWork::backward_weight: return bucket.backward_weight;
        case StepWork::paired_forward: return bucket.paired_forward;
        case StepWork::paired_backward: return bucket.paired_backward;
        default: break;
    }
    TimeParts parts = bucket.backward();
    if (piece.time != parts.total()) {
        parts -= bucket.output_weight;  // deferred
    }
    return parts;
}

PassKind usual_of(PassKind kind) {
    switch (kind) {
        case PassKind::first_forward:
        case PassKind::forward:
        case PassKind::paired_forward: return PassKind::forward;
        case PassKind::backward_input: return PassKind::backward_input;
        case PassKind::backward:
        case PassKind::paired_backward:
        case PassKind::deferring_backward:
        case PassKind::last_backward: return PassKind::backward;
        case PassKind::last_deferring_backward: return PassKind::last_backward;
        case PassKind::backward_weight:
        case PassKind::last_backward_weight: return PassKind::backward_weight;
    }
    return kind;
}

MicroBatches micro_batches_of(const StepPlan& plan) {
    return {plan.shape.micro_batches_of_chunk(), plan.layout.framework.deferred_output_wgrads};
}

PassKind kind_of(const PipelineStep& step, const MicroBatches& micro_batches) {
    const bool in_pair = step.pair != InPair::alone;
    const int number = step.micro_batch % micro_batches.of_chunk;
    const bool is_last = number + 1 == micro_batches.of_chunk;
    switch (step.work) {
        case PipelineWork::forward:
            return in_pair ? PassKind::paired_forward : number == 0 ? PassKind::first_forward : PassKind::forward;
        case PipelineWork::backward_input: return PassKind::backward_input;
        case PipelineWork::backward_weight: return is_last ? PassKind::last_backward_weight : PassKind::backward_weight;
        case PipelineWork::backward: break;
    }
    if (number < micro_batches.deferred) {
        return is_last ? PassKind::last_deferring_backward : PassKind::deferring_backward;
    }
    return in_pair ? PassKind::paired_backward : is_last ? PassKind::last_backward : PassKind::backward;
}

PassKind ChunkPasses::listed(PassKind kind) const {
    while (!has(kind) && usual_of(kind) != kind) {
        kind = usual_of(kind);
    }
    return kind;
}

}  // namespace sim::training
