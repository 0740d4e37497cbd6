// This class computes a block's MLP, or one expert of it, for one tensor part: F of 4 D hidden columns. The result is a
// partial sum without the second bias, which the caller that sums adds once (block.hpp, mixture.hpp).
//
//   h = GELU(x W1 + b1)     y = h W2         x, y: rows x D;  h: rows x F
//   GELU(a) = a Phi(a) = a (1 + erf(a / sqrt 2)) / 2
// Source: Hendrycks & Gimpel, "Gaussian error linear units", 2016.
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

struct FeedForward {
    Tensor up;         // W1: D x F
    Tensor up_bias;    // b1: F
    Tensor down;       // W2: F x D
    Tensor down_bias;  // b2: D; not used here

    struct Saved {
        Matrix x;
        Matrix hidden;  // h
        Matrix slope;   // GELU' at the inputs of h, rows x F; from backward_input on: dloss / d(x W1 + b1)
        Matrix dy;      // set from backward_input on
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
