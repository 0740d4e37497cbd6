// The same training without simulation, ranks or messages: what every parallel run must agree with.
#pragma once

#include "scenarios/training/items.hpp"
#include "scenarios/training/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sim::training {

struct Task {
    std::uint64_t seed = 1;
    int items = 16;
    int layers = 4;
    int steps = 1;
};

// The weights after `steps` steps over all items, one item after the other.
std::vector<double> train_alone(const Task& task);

// Of the items of `share`.
double loss_sum(const Model& model, std::span<const double> weights, std::uint64_t seed, Share share);

// The largest |a - b| / max(|a|, |b|) of two weights in the same place; infinite if one is not finite or one array is
// longer.
double relative_difference(std::span<const double> a, std::span<const double> b);

}  // namespace sim::training
