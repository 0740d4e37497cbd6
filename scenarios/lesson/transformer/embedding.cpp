#include "scenarios/lesson/transformer/embedding.hpp"

#include <utility>

namespace sim::lesson {

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

}  // namespace sim::lesson
