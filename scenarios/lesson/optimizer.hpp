// The optimizer turns gradients into weights, element by element: a rank that holds any part of the weights can step it
// alone.
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

// Numbers kept for each weight between steps.
int states_per_weight(OptimizerKind kind);

// What it keeps between steps.
struct OptimizerState {
    int steps = 0;
    std::vector<double> mean;    // m; none with SGD
    std::vector<double> square;  // v
};

class UpdateRule {
public:
    UpdateRule(OptimizerKind kind, std::size_t count);

    const OptimizerState& state() const { return state_; }
    // Goes on from there. Requires: it is of a rule like this one.
    void restore(OptimizerState state) { state_ = std::move(state); }

    // Dividing here, after the sum over all ranks, weighs every item alike however unevenly ranks share them.
    // Requires: both are `count` long, and at each step the same weights lie in the same place.
    void step(std::span<double> weights, std::span<const double> gradient_sum, int items);

private:
    OptimizerKind kind_;
    OptimizerState state_;
};

}  // namespace sim::lesson
