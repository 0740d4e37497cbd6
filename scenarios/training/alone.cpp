#include "scenarios/training/alone.hpp"

#include "scenarios/training/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim::training {

std::vector<double> train_alone(const Task& task) {
    const Model model(task.layers);
    std::vector<double> weights = model.initial_weights(task.seed);
    for (int step = 0; step < task.steps; ++step) {
        std::vector<double> gradient(weights.size(), 0.0);
        for (int item = 0; item < task.items; ++item) {
            model.add_gradient(weights, make_item(task.seed, item), gradient);
        }
        sgd_step(weights, gradient, task.items);
    }
    return weights;
}

double loss_sum(const Model& model, std::span<const double> weights, std::uint64_t seed, Share share) {
    double sum = 0;
    for (int item = share.first; item < share.first + share.count; ++item) {
        sum += model.loss(weights, make_item(seed, item));
    }
    return sum;
}

double relative_difference(std::span<const double> a, std::span<const double> b) {
    double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] == b[i]) {
            continue;
        }
        const double difference = std::fabs(a[i] - b[i]) / std::max(std::fabs(a[i]), std::fabs(b[i]));
        largest = std::max(largest, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
    }
    return largest;
}

}  // namespace sim::training
