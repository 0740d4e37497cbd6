// The feed-forward part of a block, or one expert of it, is computed here for one tensor part: F of 4 D columns in
// between. The result is a partial sum without the second bias, which is added once by the caller that sums (block.hpp,
// mixture.hpp).
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
        Matrix slope;   // GELU' where h is, rows x F; from backward_input on: dloss / d(x W1 + b1)
        Matrix dy;      // from backward_input on
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
