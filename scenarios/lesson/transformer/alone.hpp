// These functions train the transformer without simulation, ranks or messages: every parallel run must agree with them.
#pragma once

#include "scenarios/lesson/optimizer.hpp"
#include "scenarios/lesson/transformer/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::lesson {

std::size_t weight_count(const Shape& shape);

// The weights of the whole model, in the order of layout.hpp, the same for every rank. Matrices are uniform with
// variance 2 / (rows + columns) (Glorot & Bengio, 2010), gains uniform in 1 +- 0.1, biases in +- 0.1.
std::vector<double> initial_weights(const Shape& shape, std::uint64_t seed);

struct TrainingTask {
    Shape shape;
    std::uint64_t seed = 1;
    int items = 16;
    int steps = 1;
    OptimizerKind optimizer = OptimizerKind::sgd;
};

struct Training {
    std::vector<double> weights;  // after the last step
    double loss_before = 0;       // mean over the items
    double loss_after = 0;
};

// Trains `steps` steps, each over all items one after the other: the same result as 0D, bit for bit.
Training train(const TrainingTask& task);

// Over items 0 to items - 1.
double mean_loss(const Shape& shape, std::span<const double> weights, std::uint64_t seed, int items);

}  // namespace sim::lesson
