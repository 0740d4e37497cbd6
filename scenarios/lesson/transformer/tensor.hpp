// The transformer's tensors are matrices; a weight also has a place in a stage's flat array, and a block of the same
// tensor in the whole model's. They hold doubles, row by row. A row is a token; rows are ordered by item.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace sim::lesson {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A flat array of a stage's weights, and one of the gradients of the same weights.
using Weights = std::span<const double>;
using Gradient = std::span<double>;

// A matrix viewed as a flat array, and the reverse.
inline std::span<const double> numbers_of(const Matrix& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}
inline Eigen::Map<const Matrix> rows_of(std::span<const double> numbers, Index columns) {
    return {numbers.data(), static_cast<Index>(numbers.size()) / columns, columns};
}

// The initial distribution of a tensor's weights.
enum class Start { matrix, gain, bias };

// A vector is one row. Both arrays hold matrices row by row.
struct Tensor {
    int rows = 0;
    int columns = 0;
    std::size_t begin = 0;

    std::size_t whole_begin = 0;
    int whole_rows = 0;
    int whole_columns = 0;
    int first_row = 0;  // of this block in the whole tensor
    int first_column = 0;

    Start start = Start::matrix;
    bool partial = false;  // its gradient on a tensor part is only a partial sum

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

// For y = x W: adds x^T dy.
inline void add_matrix_gradient(Gradient gradient, const Tensor& tensor, const Eigen::Ref<const Matrix>& x,
                                const Eigen::Ref<const Matrix>& dy) {
    Eigen::Map<Matrix>(gradient.data() + tensor.begin, tensor.rows, tensor.columns).noalias() += x.transpose() * dy;
}

// For y = x + bias in every row: adds the sum of the rows of dy.
inline void add_bias_gradient(Gradient gradient, const Tensor& tensor, const Matrix& dy) {
    Eigen::Map<Matrix>(gradient.data() + tensor.begin, 1, tensor.columns) += dy.colwise().sum();
}

}  // namespace sim::lesson
