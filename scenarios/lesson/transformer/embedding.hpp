// The embedding maps the inputs of each position to the residual stream, with a learned vector for every position.
//
//   x = in We + be + P[position]      in: rows x inputs;  x: rows x D;  P: S x D
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

struct Embedding {
    Tensor matrix;     // We: inputs x D
    Tensor bias;       // be: D
    Tensor positions;  // P: S x D, of which this rank's rows use
    int first_position = 0;
    int rows_per_item = 1;

    struct Saved {
        Matrix in;
        Matrix dy;  // from the backward pass on
    };

    Matrix forward(Weights weights, Matrix in, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
