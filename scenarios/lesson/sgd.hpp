// Stochastic gradient descent, without momentum: nothing to remember between steps.
#pragma once

#include <cstddef>
#include <span>

namespace sim::training {

inline constexpr double learning_rate = 0.03;

// One step along the mean gradient of `items` items, given their sum.
// Dividing here, after the sum over all ranks, weighs every item alike however unevenly ranks share them.
inline void sgd_step(std::span<double> weights, std::span<const double> gradient_sum, int items) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] -= learning_rate * (gradient_sum[i] / items);
    }
}

}  // namespace sim::training
