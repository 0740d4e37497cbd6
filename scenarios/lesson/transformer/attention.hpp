// Attention of a block, as one tensor part computes it: C of D columns of queries, keys and values, then C of D rows of
// the output. What it returns is a summand; the output's bias is added after the sum (block.hpp).
//
//   Q, K, V = x Wq, x Wk, x Wv     y = Heads(Q, K, V) Wo         x, y: rows x D;  Q, K, V: rows x C;  Wo: C x D
#pragma once

#include "scenarios/lesson/transformer/heads.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::training {

struct Attention {
    Tensor query;   // Wq: D x C
    Tensor key;     // Wk: D x C
    Tensor value;   // Wv: D x C
    Tensor output;  // Wo: C x D
    Heads heads;

    struct Saved {
        Matrix x;
        Heads::Saved heads;
        Heads::InputGradient gradient;  // from backward_input on, as dy
        Matrix dy;
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved, const Rotate& rotate) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved, const Rotate& rotate) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::training
