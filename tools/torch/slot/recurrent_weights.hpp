// The weights of cuDNN's recurrent layers, in one buffer: all matrices, then all biases.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sim::slot {

// Values of cudnnRNNMode_t.
enum class RecurrentMode : std::int64_t { relu, tanh, lstm, gru };

// The weights of PyTorch's layers, `stride` of them for each layer and direction: two matrices, two biases if it has
// any, and the matrix of a projection.
struct RecurrentWeights {
    at::TensorList all;
    std::int64_t stride;

    bool has_biases() const { return stride > 3; }
    // The number of elements in cuDNN's buffer, which always has biases.
    std::int64_t elements() const;
    // The offset of each weight in the buffer.
    std::vector<std::int64_t> offsets() const;
};

// The results of a layer: its output and the states after the last step; an LSTM also has a cell.
struct RecurrentStates {
    at::Tensor output;
    at::Tensor hidden;
    at::Tensor cell;
};

// The weights as views of a buffer.
std::vector<at::Tensor> views_of(const at::Tensor& buffer, const RecurrentWeights& weights);

}  // namespace sim::slot
