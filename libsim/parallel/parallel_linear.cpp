#include "libsim/parallel/parallel_linear.hpp"

#include "libsim/error.hpp"
#include "libsim/parallel/divide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sim {

namespace {

// How many whole rows there are. Throws ProgramError unless they are whole.
std::size_t whole_rows(std::span<const double> x, std::size_t columns, std::string_view what) {
    if (columns == 0 || x.size() % columns != 0) {
        throw ProgramError(
            fmt::format("{} of {} numbers is not a whole number of rows of {}", what, x.size(), columns));
    }
    return x.size() / columns;
}

void check_length(std::size_t found, std::size_t expected, std::string_view what) {
    if (found != expected) {
        throw ProgramError(fmt::format("{} must have {} numbers, not {}", what, expected, found));
    }
}

std::size_t nth(std::string_view what, std::size_t amount, int parts) {
    check_divides(what, static_cast<std::int64_t>(amount), "tensor parallel ranks", parts);
    return amount / static_cast<std::size_t>(parts);
}

std::vector<double> columns_of(const TensorParallel& tensor, const LinearShape& shape, std::span<const double> weight) {
    check_length(weight.size(), shape.in * shape.out, "the whole weight matrix");
    return own_columns(weight, shape.out, tensor.index(), tensor.parts(), shape.blocks);
}

std::vector<double> bias_of_columns(const TensorParallel& tensor, const LinearShape& shape,
                                    std::span<const double> bias) {
    if (bias.empty()) {
        return {};
    }
    check_length(bias.size(), shape.out, "the whole bias");
    return own_columns(bias, shape.out, tensor.index(), tensor.parts(), shape.blocks);
}

std::vector<double> rows_of(const TensorParallel& tensor, const LinearShape& shape, std::span<const double> weight) {
    check_length(weight.size(), shape.in * shape.out, "the whole weight matrix");
    return own_rows(weight, shape.out, tensor.index(), tensor.parts());
}

}  // namespace

std::vector<double> own_columns(std::span<const double> whole, std::size_t columns, int index, int parts,
                                std::size_t blocks) {
    const std::size_t rows = whole_rows(whole, columns, "a matrix");
    check_divides("columns", static_cast<std::int64_t>(columns), "blocks", static_cast<std::int64_t>(blocks));
    const std::size_t width = nth(blocks == 1 ? "columns" : "columns of a block", columns / blocks, parts);
    std::vector<double> own;
    own.reserve(rows * blocks * width);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t begin =
                row * columns + block * (columns / blocks) + static_cast<std::size_t>(index) * width;
            const std::span<const double> piece = whole.subspan(begin, width);
            own.insert(own.end(), piece.begin(), piece.end());
        }
    }
    return own;
}

std::vector<double> own_rows(std::span<const double> whole, std::size_t columns, int index, int parts) {
    const std::size_t length = nth("rows", whole_rows(whole, columns, "a matrix"), parts) * columns;
    const std::span<const double> own = whole.subspan(static_cast<std::size_t>(index) * length, length);
    return {own.begin(), own.end()};
}

Linear::Linear(std::size_t in, std::size_t out, std::vector<double> weight, std::vector<double> bias)
    : in_(in),
      out_(out),
      weight_(std::move(weight)),
      bias_(std::move(bias)),
      weight_gradient_(weight_.size()),
      bias_gradient_(bias_.size()) {
    check_length(weight_.size(), in * out, "the weight matrix");
    if (!bias_.empty()) {
        check_length(bias_.size(), out, "the bias");
    }
}

void Linear::clear_gradients() {
    std::fill(weight_gradient_.begin(), weight_gradient_.end(), 0.0);
    std::fill(bias_gradient_.begin(), bias_gradient_.end(), 0.0);
}

std::vector<double> Linear::product(std::span<const double> x) const {
    const std::size_t rows = whole_rows(x, in_, "an input");
    std::vector<double> y(rows * out_);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < in_; ++i) {
            for (std::size_t o = 0; o < out_; ++o) {
                y[r * out_ + o] += x[r * in_ + i] * weight_[i * out_ + o];
            }
        }
    }
    return y;
}

std::vector<double> Linear::transposed_product(std::span<const double> dy) const {
    const std::size_t rows = whole_rows(dy, out_, "an output's gradient");
    std::vector<double> dx(rows * in_);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < in_; ++i) {
            for (std::size_t o = 0; o < out_; ++o) {
                dx[r * in_ + i] += dy[r * out_ + o] * weight_[i * out_ + o];
            }
        }
    }
    return dx;
}

void Linear::add_bias(std::span<double> y) const {
    if (bias_.empty()) {
        return;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += bias_[i % out_];
    }
}

void Linear::add_gradients(std::span<const double> x, std::span<const double> dy) {
    const std::size_t rows = whole_rows(x, in_, "an input");
    check_length(dy.size(), rows * out_, "the output's gradient of these rows");
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < in_; ++i) {
            for (std::size_t o = 0; o < out_; ++o) {
                weight_gradient_[i * out_ + o] += x[r * in_ + i] * dy[r * out_ + o];
            }
        }
    }
    for (std::size_t i = 0; i < dy.size() && !bias_.empty(); ++i) {
        bias_gradient_[i % out_] += dy[i];
    }
}

ColumnParallelLinear::ColumnParallelLinear(const TensorParallel& tensor, const LinearShape& shape,
                                           std::span<const double> weight, std::span<const double> bias)
    : tensor_(tensor),
      own_(shape.in, shape.out / static_cast<std::size_t>(tensor.parts()), columns_of(tensor, shape, weight),
           bias_of_columns(tensor, shape, bias)) {}

std::vector<double> ColumnParallelLinear::forward(std::span<const double> x) const {
    std::vector<double> y = own_.product(x);
    own_.add_bias(y);
    return y;
}

std::vector<double> ColumnParallelLinear::backward_input(std::span<const double> dy, const Activations& whole) const {
    return tensor_.enter_backward(own_.transposed_product(dy), whole);
}

RowParallelLinear::RowParallelLinear(const TensorParallel& tensor, const LinearShape& shape,
                                     std::span<const double> weight, std::span<const double> bias)
    : tensor_(tensor),
      own_(shape.in / static_cast<std::size_t>(tensor.parts()), shape.out, rows_of(tensor, shape, weight),
           {bias.begin(), bias.end()}) {}

std::vector<double> RowParallelLinear::forward(std::span<const double> x, const Activations& whole) const {
    std::vector<double> y = tensor_.leave(own_.product(x), whole);
    own_.add_bias(y);
    return y;
}

}  // namespace sim
