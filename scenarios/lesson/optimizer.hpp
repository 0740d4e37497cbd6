// The optimizer of the lesson, with real numbers; those of predicted steps are in libsim/training/optimizer.hpp. It
// updates weights from gradients element by element, so a rank that holds any part of the weights can
// update it alone.
//
//   g = sum of the items' gradients / items
//   SGD:   w -= 0.03 g
//   Adam:  m = 0.9 m + 0.1 g     v = 0.999 v + 0.001 g^2     at step t: w -= 0.01 m' / (sqrt(v') + 1e-6),
//          m' = m / (1 - 0.9^t)    v' = v / (1 - 0.999^t)
// Source of Adam: Kingma & Ba, "Adam: a method for stochastic optimization", ICLR 2015.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace sim::lesson {

enum class OptimizerKind { sgd, adam };

// Numbers kept per weight between steps.
int states_per_weight(OptimizerKind kind);

// The state between steps.
struct OptimizerState {
    int steps = 0;
    std::vector<double> mean;    // m; none with SGD
    std::vector<double> square;  // v
};

class UpdateRule {
public:
    UpdateRule(OptimizerKind kind, std::size_t count);

    const OptimizerState& state() const { return state_; }
    // Restores a state. Requires: it comes from the same optimizer.
    void restore(OptimizerState state) { state_ = std::move(state); }

    // Dividing here, after the sum over all ranks, gives every item the same weight, however unevenly ranks share them.
    // Requires: both are `count` long, and the same weights are in the same places at each step.
    void step(std::span<double> weights, std::span<const double> gradient_sum, int items);

private:
    OptimizerKind kind_;
    OptimizerState state_;
};

}  // namespace sim::lesson
