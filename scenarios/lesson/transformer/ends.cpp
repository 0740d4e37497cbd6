#include "scenarios/lesson/transformer/ends.hpp"

#include <cmath>
#include <utility>

namespace sim::lesson {

namespace {

// Returns the sum over rows, and replaces y by its gradient. Both still have to be divided by the sequence length.
double mean_squared(Matrix& y, const Matrix& targets) {
    y -= targets;
    const double outputs = static_cast<double>(y.cols());
    const double sum = y.squaredNorm() / outputs;
    y *= 2 / outputs;
    return sum;
}

double cross_entropy(Matrix& y, const Matrix& classes) {
    double sum = 0;
    for (Index row = 0; row < y.rows(); ++row) {
        const auto wanted = static_cast<Index>(classes(row, 0));
        y.row(row).array() -= y.row(row).maxCoeff();
        const double total = y.row(row).array().exp().sum();
        sum += std::log(total) - y(row, wanted);
        y.row(row).array() = y.row(row).array().exp() / total;
        y(row, wanted) -= 1;
    }
    return sum;
}

}  // namespace

Matrix Embedding::forward(Weights weights, Matrix in, Saved& saved) const {
    Matrix x = in * weight(weights, matrix);
    saved.in = std::move(in);
    add_bias(x, weights, bias);
    for (Index row = 0; row < x.rows(); row += rows_per_item) {
        x.middleRows(row, rows_per_item) += weight(weights, positions).middleRows(first_position, rows_per_item);
    }
    return x;
}

void Embedding::backward_weight(const Saved& saved, Gradient gradient) const {
    add_matrix_gradient(gradient, matrix, saved.in, saved.dy);
    add_bias_gradient(gradient, bias, saved.dy);
    Eigen::Map<Matrix> dpositions(gradient.data() + positions.begin, positions.rows, positions.columns);
    for (Index row = 0; row < saved.dy.rows(); row += rows_per_item) {
        dpositions.middleRows(first_position, rows_per_item) += saved.dy.middleRows(row, rows_per_item);
    }
}

Matrix Head::forward(Weights weights, const Matrix& x, const Matrix& targets, Saved& saved) const {
    saved.normal = norm.forward(weights, x, saved.norm);
    Matrix y = saved.normal * weight(weights, matrix);
    add_bias(y, weights, bias);
    saved.dy = y;
    saved.loss = kind == LossKind::mean_squared ? mean_squared(saved.dy, targets) : cross_entropy(saved.dy, targets);
    saved.loss /= sequence;
    saved.dy /= sequence;
    return y;
}

Matrix Head::backward_input(Weights weights, Saved& saved) const {
    return norm.backward_input(weights, saved.dy * weight(weights, matrix).transpose(), saved.norm);
}

void Head::backward_weight(const Saved& saved, Gradient gradient) const {
    add_matrix_gradient(gradient, matrix, saved.normal, saved.dy);
    add_bias_gradient(gradient, bias, saved.dy);
    norm.backward_weight(saved.norm, gradient);
}

}  // namespace sim::lesson
