// This class computes a block's causal self-attention for one tensor part: C of D columns of queries, keys and values,
// then C of D rows of the output. The result is a partial sum; the output's bias is added after the sum (block.hpp).
//
//   Q, K, V = x Wq, x Wk, x Wv     y = Heads(Q, K, V) Wo         x, y: rows x D;  Q, K, V: rows x C;  Wo: C x D
// Heads is libsim/parallel/context_parallel.hpp: a context part holds contiguous positions of each item, and the [K|V]
// of all parts pass by. With n parts, per layer: n - 1 rotations forward, 2 n - 1 backward; none if n is 1.
// Source: Vaswani et al., "Attention is all you need", 2017.
#pragma once

#include "libsim/parallel/context_parallel.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

namespace sim::lesson {

using Rotate = std::function<std::vector<double>(std::vector<double>)>;

struct SelfAttention {
    Tensor query;   // Wq: D x C
    Tensor key;     // Wk: D x C
    Tensor value;   // Wv: D x C
    Tensor output;  // Wo: C x D
    int heads = 1;  // C = heads * width
    int width = 1;
    int rows_per_item = 1;
    Part context;

    struct Saved {
        Matrix x;
        Matrix q;  // rows x C, all three
        Matrix k;
        Matrix v;
        Attention heads;
        AttentionGradient gradient;  // set from backward_input on, like dy
        Matrix dy;
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved, const Rotate& rotate) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved, const Rotate& rotate) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;

private:
    AttentionInput input_of(const Saved& saved) const;
    Ring ring(const Rotate& rotate) const { return {.index = context.index, .size = context.of, .rotate = rotate}; }
};

}  // namespace sim::lesson
