#include "scenarios/lesson/transformer/layer_norm.hpp"

#include <utility>

namespace sim::lesson {

namespace {

constexpr double epsilon = 1e-5;

}  // namespace

Matrix LayerNorm::forward(Weights weights, const Matrix& x, Saved& saved) const {
    saved.normal = x.colwise() - x.rowwise().mean();
    saved.inverse = (saved.normal.rowwise().squaredNorm().array() / static_cast<double>(x.cols()) + epsilon).rsqrt();
    saved.normal.array().colwise() *= saved.inverse.array();
    Matrix y = saved.normal.array().rowwise() * weight(weights, gain).row(0).array();
    add_bias(y, weights, bias);
    return y;
}

// With dn = gain dy:  dx = (dn - mean dn - n mean(n dn)) / sqrt(var + epsilon), means over the row.
Matrix LayerNorm::backward_input(Weights weights, Matrix dy, Saved& saved) const {
    Matrix dx = dy.array().rowwise() * weight(weights, gain).row(0).array();
    const Eigen::VectorXd mean = dx.rowwise().mean();
    const Eigen::VectorXd along = (dx.array() * saved.normal.array()).rowwise().mean();
    dx.colwise() -= mean;
    dx.array() -= saved.normal.array().colwise() * along.array();
    dx.array().colwise() *= saved.inverse.array();
    saved.dy = std::move(dy);
    return dx;
}

void LayerNorm::backward_weight(const Saved& saved, Gradient gradient) const {
    add_bias_gradient(gradient, gain, saved.dy.cwiseProduct(saved.normal));
    add_bias_gradient(gradient, bias, saved.dy);
}

}  // namespace sim::lesson
