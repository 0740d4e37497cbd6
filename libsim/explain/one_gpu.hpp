// The same training on one GPU is the baseline for a step on many.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"

#include <cstdint>

namespace sim::explain {

struct OneGpu {
    bool fits = false;
    std::int64_t memory = 0;   // its peak
    predict::Budget budget{};  // adds up to its step; only the work if it does not fit
};

// The same global batch, micro-batch and kernels, without any parallelism.
training::Layout layout_on_one(const training::Layout& layout);
// `step`: the prediction of `what`, with its budget.
OneGpu on_one_gpu(const predict::TrainingCase& what, const predict::Prediction& step);

}  // namespace sim::explain
