// Layer norm scales every row to mean 0 and variance 1, then applies gain and bias.
//
//   n = (x - mean x) / sqrt(var x + 1e-5)    y = gain n + bias       x, n, y: rows x D
// Source: Ba, Kiros & Hinton, "Layer normalization", 2016.
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

struct LayerNorm {
    Tensor gain;
    Tensor bias;

    struct Saved {
        Matrix normal;            // n
        Eigen::VectorXd inverse;  // 1 / sqrt(var + 1e-5) of each row
        Matrix dy;                // set from backward_input on
    };

    Matrix forward(Weights weights, const Matrix& x, Saved& saved) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
