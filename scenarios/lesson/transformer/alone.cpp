#include "scenarios/lesson/transformer/alone.hpp"

#include "libsim/random.hpp"
#include "scenarios/lesson/transformer/stage.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sim::lesson {

namespace {

// Items, weights and gradients use different streams of random numbers.
constexpr std::uint64_t weights_stream = 0x77656967687473;

double drawn(const Tensor& tensor, Random& random) {
    switch (tensor.start) {
        case Start::gain: return random.between(0.9, 1.1);
        case Start::bias: return random.between(-0.1, 0.1);
        case Start::matrix: break;
    }
    const double bound = std::sqrt(6.0 / (tensor.whole_rows + tensor.whole_columns));
    return random.between(-bound, bound);
}

}  // namespace

std::size_t weight_count(const Shape& shape) {
    return layout_of(shape, whole(shape)).weight_count;
}

std::vector<double> initial_weights(const Shape& shape, std::uint64_t seed) {
    Random random(seed, weights_stream);
    std::vector<double> weights;
    for (const Tensor& tensor : layout_of(shape, whole(shape)).tensors) {
        for (std::size_t i = 0; i < tensor.count(); ++i) {
            weights.push_back(drawn(tensor, random));
        }
    }
    return weights;
}

double mean_loss(const Shape& shape, std::span<const double> weights, std::uint64_t seed, int items) {
    Stage stage(shape, whole(shape));
    stage.forward(weights, 0, make_batch(shape, seed, {.first = 0, .count = items}));
    return stage.loss(0) / items;
}

Training train(const TrainingTask& task) {
    std::vector<TokenBatch> items;
    for (int item = 0; item < task.items; ++item) {
        items.push_back(make_batch(task.shape, task.seed, {.first = item, .count = 1}));
    }
    Training training{.weights = initial_weights(task.shape, task.seed)};
    training.loss_before = mean_loss(task.shape, training.weights, task.seed, task.items);
    Stage stage(task.shape, whole(task.shape));
    UpdateRule optimizer(task.optimizer, stage.weight_count());
    for (int step = 0; step < task.steps; ++step) {
        std::vector<double> sum(stage.weight_count(), 0.0);
        for (const TokenBatch& item : items) {
            std::vector<double> gradient(stage.weight_count(), 0.0);
            stage.forward(training.weights, 0, item);
            stage.backward(training.weights, 0, {}, gradient);
            std::transform(sum.begin(), sum.end(), gradient.begin(), sum.begin(), std::plus<>());
        }
        optimizer.step(training.weights, sum, task.items);
    }
    training.loss_after = mean_loss(task.shape, training.weights, task.seed, task.items);
    return training;
}

}  // namespace sim::lesson
