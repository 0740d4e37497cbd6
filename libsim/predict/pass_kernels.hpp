// The kernels of a pass are those of its layers, of the embedding and of the output, in the order in which they run.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/training/block_time.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/step/step_work.hpp"

#include <vector>

namespace sim::predict {

class PassKernels {
public:
    // `what` outlives it.
    explicit PassKernels(const TrainingCase& what);

    // Of a pass through layers `first` to `first + bucket.layers - 1`, and through the embedding and the output as the
    // bucket has them. Of an embedding, a prediction, an output, and a backward pass that is split, only the kernels
    // together and each sort of collectives are known, and stand for their kernels. Their times add up to the pass's,
    // exactly. Requires: is_pass(work).
    std::vector<training::KernelSpan> of(training::StepWork work, int first, const training::GradientBucket& bucket);

private:
    training::BlockTimes times_;
    int outputs_further_;  // besides the next token's
};

// Communication that no computation hides.
bool is_exposed(const training::KernelSpan& kernel);

}  // namespace sim::predict
