// Where one matrix or vector of weights lies: in a stage's flat array, and as a block of the same in the whole model's.
#pragma once

#include "scenarios/lesson/transformer/matrix.hpp"

#include <cstddef>

namespace sim::training {

// How its first weights are drawn.
enum class Start { matrix, gain, bias };

// A vector is one row. Both arrays hold matrices row by row.
struct Tensor {
    int rows = 0;
    int columns = 0;
    std::size_t begin = 0;

    std::size_t whole_begin = 0;
    int whole_rows = 0;
    int whole_columns = 0;
    int first_row = 0;  // of this block in the whole
    int first_column = 0;

    Start start = Start::matrix;
    bool partial = false;  // a tensor part's gradient is only a summand of it

    std::size_t count() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
    std::size_t end() const { return begin + count(); }
};

inline Eigen::Map<const Matrix> weight(Weights weights, const Tensor& tensor) {
    return {weights.data() + tensor.begin, tensor.rows, tensor.columns};
}

// x + bias in every row.
inline void add_bias(Matrix& x, Weights weights, const Tensor& bias) {
    x.rowwise() += weight(weights, bias).row(0);
}

// Of y = x W: adds x^T dy.
inline void add_matrix_gradient(Gradient gradient, const Tensor& tensor, const Matrix& x, const Matrix& dy) {
    Eigen::Map<Matrix>(gradient.data() + tensor.begin, tensor.rows, tensor.columns).noalias() += x.transpose() * dy;
}

// Of y = x + bias in every row: adds the sum of the rows of dy.
inline void add_bias_gradient(Gradient gradient, const Tensor& tensor, const Matrix& dy) {
    Eigen::Map<Matrix>(gradient.data() + tensor.begin, 1, tensor.columns) += dy.colwise().sum();
}

}  // namespace sim::training
