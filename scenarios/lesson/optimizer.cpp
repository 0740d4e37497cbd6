#include "scenarios/lesson/optimizer.hpp"

#include <cmath>

namespace sim::lesson {

namespace {

constexpr double sgd_rate = 0.03;
constexpr double adam_rate = 0.01;
constexpr double mean_decay = 0.9;
constexpr double square_decay = 0.999;
// Larger than the usual 1e-8: a gradient of mere rounding errors must not cause a step.
constexpr double adam_epsilon = 1e-6;

// Stochastic gradient descent, without momentum: no state between steps.
void sgd_step(std::span<double> weights, std::span<const double> gradient_sum, int items) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] -= sgd_rate * (gradient_sum[i] / items);
    }
}

}  // namespace

int states_per_weight(OptimizerKind kind) {
    return kind == OptimizerKind::adam ? 2 : 0;
}

UpdateRule::UpdateRule(OptimizerKind kind, std::size_t count) : kind_(kind) {
    if (kind == OptimizerKind::adam) {
        state_.mean.resize(count);
        state_.square.resize(count);
    }
}

void UpdateRule::step(std::span<double> weights, std::span<const double> gradient_sum, int items) {
    ++state_.steps;
    if (kind_ == OptimizerKind::sgd) {
        sgd_step(weights, gradient_sum, items);
        return;
    }
    const double mean_seen = 1 - std::pow(mean_decay, state_.steps);
    const double square_seen = 1 - std::pow(square_decay, state_.steps);
    std::vector<double>& mean = state_.mean;
    std::vector<double>& square = state_.square;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double gradient = gradient_sum[i] / items;
        mean[i] = mean_decay * mean[i] + (1 - mean_decay) * gradient;
        square[i] = square_decay * square[i] + (1 - square_decay) * gradient * gradient;
        weights[i] -= adam_rate * (mean[i] / mean_seen) / (std::sqrt(square[i] / square_seen) + adam_epsilon);
    }
}

}  // namespace sim::lesson
