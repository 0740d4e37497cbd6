// The ends of the model are the embedding of its inputs, and the head that computes outputs and their loss.
#pragma once

#include "scenarios/lesson/transformer/layer_norm.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

// The embedding maps the inputs of each position to the residual stream, with a learned vector for every position.
//
//   x = in We + be + P[position]      in: rows x inputs;  x: rows x D;  P: S x D
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

// The head maps the residual stream to outputs and their loss.
//
//   y = LayerNorm(x) Wh + bh            x: rows x D;  y: rows x outputs
//   mean squared:   loss of an item = mean over positions and outputs of (y - target)^2
//   cross-entropy:  loss of an item = mean over positions of -log softmax(y)[class]
// The means are over all S positions of an item, even if only some of its rows are here: the parts add up to the loss.
struct Head {
    LayerNorm norm;
    Tensor matrix;  // Wh: D x outputs
    Tensor bias;    // bh: outputs
    LossKind kind = LossKind::mean_squared;
    int sequence = 1;  // S

    struct Saved {
        LayerNorm::Saved norm;
        Matrix normal;    // LayerNorm(x)
        Matrix dy;        // rows x outputs
        double loss = 0;  // sum over items, of this rank's rows
    };

    // Returns y. targets: rows x outputs, or a column of classes.
    Matrix forward(Weights weights, const Matrix& x, const Matrix& targets, Saved& saved) const;
    Matrix backward_input(Weights weights, Saved& saved) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
