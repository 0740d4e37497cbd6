// Causal attention of several heads, between queries, keys and values, alone or over a ring of context parts.
//
//   out_i = sum_j<=i softmax_j(q_i . k_j / sqrt(width)) v_j       for each item, head and position i
//
// A context part holds R contiguous positions of each item. Its own queries stay; [K|V] of all parts pass by
// (`rotate`), and are merged by libsim/parallel/online_softmax.hpp. Blocks wholly in the future are passed on without
// arithmetic. Backward, weights are computed again from the saved log of their sum, [K|V] passes by once more, and its
// gradient goes with it until it is home.
//
// Source: Vaswani et al., 2017; Liu, Zaharia & Abbeel, "Ring attention", 2023; Dao et al., "FlashAttention", 2022.
#pragma once

#include "scenarios/lesson/transformer/matrix.hpp"
#include "scenarios/lesson/transformer/part.hpp"

#include <functional>

namespace sim::training {

using Rotate = std::function<Matrix(Matrix)>;

struct Heads {
    int count = 1;  // C = count * width columns of Q, K and V each
    int width = 1;
    int rows_per_item = 1;  // R
    Part context;

    struct Saved {
        Matrix q;        // k items: k R x C
        Matrix kv;       // k R x 2 C: K beside V
        Matrix out;      // k R x C
        Matrix log_sum;  // k R x count
    };
    struct InputGradient {
        Matrix dq;   // k R x C
        Matrix dkv;  // k R x 2 C
    };

    // From saved.q and saved.kv; fills the rest.
    void forward(Saved& saved, const Rotate& rotate) const;
    InputGradient backward(const Saved& saved, const Matrix& dout, const Rotate& rotate) const;
};

}  // namespace sim::training
