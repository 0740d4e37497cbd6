#include "scenarios/lesson/transformer/feed_forward.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace sim::lesson {

namespace {

constexpr double inverse_root_two_pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;

}  // namespace

Matrix FeedForward::forward(Weights weights, Matrix x, Saved& saved) const {
    saved.hidden.noalias() = x * weight(weights, up);
    saved.x = std::move(x);
    add_bias(saved.hidden, weights, up_bias);
    saved.slope.resize(saved.hidden.rows(), saved.hidden.cols());
    for (Index i = 0; i < saved.hidden.size(); ++i) {
        const double a = saved.hidden.data()[i];
        const double phi = 0.5 + 0.5 * std::erf(a / std::numbers::sqrt2);
        saved.hidden.data()[i] = a * phi;
        saved.slope.data()[i] = phi + a * inverse_root_two_pi * std::exp(-0.5 * a * a);
    }
    return saved.hidden * weight(weights, down);
}

Matrix FeedForward::backward_input(Weights weights, Matrix dy, Saved& saved) const {
    const Matrix dhidden = dy * weight(weights, down).transpose();
    saved.slope = saved.slope.cwiseProduct(dhidden);
    saved.dy = std::move(dy);
    return saved.slope * weight(weights, up).transpose();
}

void FeedForward::backward_weight(const Saved& saved, Gradient gradient) const {
    add_matrix_gradient(gradient, up, saved.x, saved.slope);
    add_bias_gradient(gradient, up_bias, saved.slope);
    add_matrix_gradient(gradient, down, saved.hidden, saved.dy);
}

}  // namespace sim::lesson
