// Matrices of the transformer: doubles, row by row. A row is a token; rows lie item after item.
#pragma once

#include <Eigen/Core>

#include <span>

namespace sim::training {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A flat array of a stage's weights, and one of the gradients of the same weights.
using Weights = std::span<const double>;
using Gradient = std::span<double>;

}  // namespace sim::training
