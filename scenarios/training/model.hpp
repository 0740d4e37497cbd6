// The model that is really trained: a small multilayer perceptron, forward and backward written out.
//
//   x0 (8)   x(l+1) = tanh(W(l) x(l) + b(l))   the last layer without tanh   y (4)
//   loss of an item = mean over the outputs of (y - target)^2
//
// Hidden layers are 16 wide: 8 -> 16 -> 16 -> 16 -> 4 for four layers. All weights are one flat array, layer after
// layer, so that gradients can be summed over ranks as they lie.
#pragma once

#include "scenarios/training/items.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::training {

inline constexpr int hidden_width = 16;

struct Layer {
    int inputs = 0;
    int outputs = 0;
    std::size_t weights = 0;  // where W begins: outputs x inputs, column by column
    std::size_t biases = 0;   // where b begins: outputs
};

class Model {
public:
    // Requires: layers >= 1.
    explicit Model(int layers);

    const std::vector<Layer>& layers() const { return layers_; }
    std::size_t weight_count() const { return weight_count_; }

    // Uniform, of variance 2 / (inputs + outputs) for W (Glorot & Bengio, 2010). The same for every rank.
    std::vector<double> initial_weights(std::uint64_t seed) const;

    // Both require: weights and gradient are weight_count() long.
    double loss(std::span<const double> weights, const Item& item) const;
    // Adds this item's d loss / d weights to `gradient`. Returns the item's loss.
    double add_gradient(std::span<const double> weights, const Item& item, std::span<double> gradient) const;

private:
    // Activations, x(0) to x(layers).
    std::vector<std::vector<double>> forward(std::span<const double> weights, const Item& item) const;

    std::vector<Layer> layers_;
    std::size_t weight_count_ = 0;
};

}  // namespace sim::training
