// The kernels of a pass are those of its layers, the embedding and the output, in execution order.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/training/block_time.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/step/step_work.hpp"

#include <vector>

namespace sim::predict {

class PassKernels {
public:
    // Keeps a reference to `what`, which must outlive it.
    explicit PassKernels(const TrainingCase& what);

    // The kernels of a pass through layers `first` to `first + bucket.layers - 1`, and through the embedding and the
    // output if the bucket has them. For an embedding, a prediction, an output, and a split backward pass only the
    // total of the kernels and of each sort of collectives is known; these totals are listed instead. The times add up
    // to exactly the pass's. Requires: is_pass(work).
    std::vector<training::KernelSpan> of(training::StepWork work, int first, const training::GradientBucket& bucket);

private:
    training::BlockTimes times_;
    int outputs_further_;  // in addition to the next token's
};

// Communication that no computation hides.
bool is_exposed(const training::KernelSpan& kernel);

}  // namespace sim::predict
