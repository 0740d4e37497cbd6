// Linear layers in the simplest arithmetic, and a tensor-parallel member's parts of them: the computation between
// TensorParallel::enter and leave in a test. Matrices are stored row by row.
#pragma once

#include "libsim/parallel/tensor_parallel.hpp"

#include <span>
#include <vector>

namespace sim::test {

// y = x W + b for any number of rows; no bias if b is empty.
struct Linear {
    std::size_t in = 1;
    std::size_t out = 1;
    std::vector<double> weight;  // in x out
    std::vector<double> bias = {};
    std::vector<double> weight_gradient = std::vector<double>(in * out);
    std::vector<double> bias_gradient = std::vector<double>(bias.size());

    std::vector<double> product(std::span<const double> x) const {
        std::vector<double> y(x.size() / in * out);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t o = 0; o < out; ++o) {
                y[i / in * out + o] += x[i] * weight[i % in * out + o];
            }
        }
        return y;
    }
    std::vector<double> transposed_product(std::span<const double> dy) const {
        std::vector<double> dx(dy.size() / out * in);
        for (std::size_t i = 0; i < dx.size(); ++i) {
            for (std::size_t o = 0; o < out; ++o) {
                dx[i] += dy[i / in * out + o] * weight[i % in * out + o];
            }
        }
        return dx;
    }
    void add_bias(std::span<double> y) const {
        for (std::size_t i = 0; i < y.size() && !bias.empty(); ++i) {
            y[i] += bias[i % out];
        }
    }
    void add_gradients(std::span<const double> x, std::span<const double> dy) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t o = 0; o < out; ++o) {
                weight_gradient[i % in * out + o] += x[i] * dy[i / in * out + o];
            }
        }
        for (std::size_t i = 0; i < dy.size() && !bias.empty(); ++i) {
            bias_gradient[i % out] += dy[i];
        }
    }
};

// A member's columns or rows of a matrix with `columns` columns, which are `blocks` matrices side by side.
inline std::vector<double> own_columns(std::span<const double> whole, std::size_t columns, int index, int parts,
                                       std::size_t blocks = 1) {
    const std::size_t width = columns / blocks / static_cast<std::size_t>(parts);
    std::vector<double> own;
    for (std::size_t begin = static_cast<std::size_t>(index) * width; begin < whole.size(); begin += columns / blocks) {
        const auto piece = whole.subspan(begin, width);
        own.insert(own.end(), piece.begin(), piece.end());
    }
    return own;
}
inline std::vector<double> own_rows(std::span<const double> whole, int index, int parts) {
    const std::size_t length = whole.size() / static_cast<std::size_t>(parts);
    const auto own = whole.subspan(static_cast<std::size_t>(index) * length, length);
    return {own.begin(), own.end()};
}

}  // namespace sim::test
