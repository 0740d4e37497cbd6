#include "scenarios/training/model.hpp"

#include "scenarios/training/random.hpp"

#include <Eigen/Core>

#include <cmath>

namespace sim::training {

namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

// Items, weights and gradients are told apart by their stream of random numbers.
constexpr std::uint64_t weights_stream = 0x77656967687473;

double mean_squared_error(const std::vector<double>& outputs, const Item& item) {
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        sum += (outputs[i] - item.target[i]) * (outputs[i] - item.target[i]);
    }
    return sum / static_cast<double>(outputs.size());
}

}  // namespace

Model::Model(int layers) {
    for (int l = 0; l < layers; ++l) {
        Layer layer{.inputs = l == 0 ? item_inputs : hidden_width,
                    .outputs = l + 1 == layers ? item_outputs : hidden_width};
        layer.weights = weight_count_;
        layer.biases = layer.weights + static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs);
        weight_count_ = layer.biases + static_cast<std::size_t>(layer.outputs);
        layers_.push_back(layer);
    }
}

std::vector<double> Model::initial_weights(std::uint64_t seed) const {
    std::vector<double> weights(weight_count_);
    Random random(seed, weights_stream);
    for (const Layer& layer : layers_) {
        const double bound = std::sqrt(6.0 / (layer.inputs + layer.outputs));
        for (std::size_t i = layer.weights; i < layer.biases + static_cast<std::size_t>(layer.outputs); ++i) {
            weights[i] = random.between(-bound, bound);
        }
    }
    return weights;
}

std::vector<std::vector<double>> Model::forward(std::span<const double> weights, const Item& item) const {
    std::vector<std::vector<double>> x{{item.input.begin(), item.input.end()}};
    for (const Layer& layer : layers_) {
        const ConstMatrix w(&weights[layer.weights], layer.outputs, layer.inputs);
        const ConstVector b(&weights[layer.biases], layer.outputs);
        const ConstVector in(x.back().data(), layer.inputs);
        std::vector<double> next(static_cast<std::size_t>(layer.outputs));
        Vector out(next.data(), layer.outputs);
        out = b;
        out.noalias() += w * in;
        if (&layer != &layers_.back()) {
            for (double& value : next) {
                value = std::tanh(value);
            }
        }
        x.push_back(std::move(next));
    }
    return x;
}

double Model::loss(std::span<const double> weights, const Item& item) const {
    return mean_squared_error(forward(weights, item).back(), item);
}

double Model::add_gradient(std::span<const double> weights, const Item& item, std::span<double> gradient) const {
    const std::vector<std::vector<double>> x = forward(weights, item);

    // delta = d loss / d (W x + b) of the layer at hand, beginning with the last: outputs
    std::vector<double> delta = x.back();
    for (std::size_t i = 0; i < delta.size(); ++i) {
        delta[i] = 2.0 / item_outputs * (delta[i] - item.target[i]);
    }
    for (std::size_t l = layers_.size(); l-- > 0;) {
        const Layer& layer = layers_[l];
        const ConstVector in(x[l].data(), layer.inputs);
        const ConstVector d(delta.data(), layer.outputs);
        Matrix(&gradient[layer.weights], layer.outputs, layer.inputs).noalias() += d * in.transpose();
        Vector(&gradient[layer.biases], layer.outputs) += d;
        if (l == 0) {
            break;  // items are not trained
        }
        const ConstMatrix w(&weights[layer.weights], layer.outputs, layer.inputs);
        std::vector<double> before(static_cast<std::size_t>(layer.inputs));
        Vector(before.data(), layer.inputs).noalias() = w.transpose() * d;
        for (std::size_t i = 0; i < before.size(); ++i) {
            before[i] *= 1.0 - x[l][i] * x[l][i];  // tanh' = 1 - tanh^2
        }
        delta = std::move(before);
    }
    return mean_squared_error(x.back(), item);
}

}  // namespace sim::training
