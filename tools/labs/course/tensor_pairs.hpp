// Tensor parallelism in the course: pairs of a column-parallel and a row-parallel layer, y = relu(x A) B, with their
// numbers and possible deviations.
#pragma once

#include "libsim/algorithm.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/lab.hpp"

namespace sim::labs {

struct Matrix {
    int rows = 0;
    int columns = 0;
    std::vector<double> numbers;  // row-major

    Matrix() = default;
    Matrix(int r, int c) : rows(r), columns(c), numbers(static_cast<std::size_t>(r * c)) {}
    double& at(int row, int column) { return numbers[static_cast<std::size_t>(row * columns + column)]; }
    double at(int row, int column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
};

struct PairNumbers {
    int layers = 1;  // two pairs each
    int batch = 2;
    int width = 4;
    int hidden = 4;
    int factor = 0;
    UniformCosts costs;

    PairNumbers() = default;
    explicit PairNumbers(const Given& given);

    int pairs() const { return 2 * layers; }
    std::int64_t flops_of_product(int ranks) const { return 2LL * batch * width * hidden / ranks; }
    std::int64_t bytes_of_sum() const { return 8LL * batch * width; }
};

// The final results of one rank of `ranks`.
struct PairResults {
    Matrix output;
    Matrix gradient_of_input;
    Matrix gradient_of_a;  // this rank's part, first pair
    Matrix gradient_of_b;
};
PairResults right_results(const PairNumbers& numbers, int ranks, int rank);

// Deviations from the solution that a program may have.
struct TensorHabits {
    bool sums_forward = true;
    bool sums_backward = true;
    bool sums_weight_gradients = false;  // as in data parallelism
    bool gathers_hidden = false;         // all columns on all ranks, after each column-parallel layer
    bool sums_hidden_gradients = false;  // one extra all-reduce in the backward pass
    bool masks_backward = true;          // zeroes gradients where relu was 0
    bool cuts_after_sum = false;         // relu after the row-parallel instead of the column-parallel layer
    bool leaves_out_first_sum = false;   // in the backward pass: the all-reduce of the first pair
    bool barriers = false;
    bool whole_products = false;  // computes as much as without tensor parallelism
    Reduction reduction = Reduction::sum;
    AlgorithmConfig algorithm = {};
    double scale = 1;  // factor of the loss
};
lab::Program tensor_parallel(const TensorHabits& habits);

}  // namespace sim::labs
