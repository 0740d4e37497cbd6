// The embedding maps the inputs of each position to the residual stream, with a learned vector for every position.
//
//   x = in We + be + P[position]      in: rows x inputs;  x: rows x D;  P: S x D
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

struct Embedding {
    Tensor matrix;     // We: inputs x D
    Tensor bias;       // be: D
    Tensor positions;  // P: S x D; this rank's rows of it are used
    int first_position = 0;
    int rows_per_item = 1;

    struct Saved {
        Matrix in;
        Matrix dy;  // set by the backward pass
    };

    Matrix forward(Weights weights, Matrix in, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
