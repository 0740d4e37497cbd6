// cuDNN's recurrent layers: their weights lie in one buffer, all matrices and then all biases.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sim::slot {

// As cuDNN numbers them.
enum class RecurrentMode : std::int64_t { relu, tanh, lstm, gru };

// The weights of PyTorch's layers, `stride` of them for each layer and direction: two matrices, two biases if it has
// any, and the matrix of a projection.
struct RecurrentWeights {
    at::TensorList all;
    std::int64_t stride;

    bool has_biases() const { return stride > 3; }
    // The elements of cuDNN's buffer, which has biases always.
    std::int64_t elements() const;
    // Where each begins in the buffer.
    std::vector<std::int64_t> offsets() const;
};

// What a layer returns: its output and the states behind the last step; an LSTM has a cell, too.
struct RecurrentStates {
    at::Tensor output;
    at::Tensor hidden;
    at::Tensor cell;
};

// Each as a view of a buffer.
std::vector<at::Tensor> views_of(const at::Tensor& buffer, const RecurrentWeights& weights);

}  // namespace sim::slot
