// A block is one layer of the transformer: attention, then an MLP or a mixture of experts, each added to the residual
// stream.
//
//   x += Attention(LayerNorm(x)) + bo       x += FeedForward(LayerNorm(x)) + b2       x: rows of the stream x D
// The work between enter and leave (surroundings.hpp) is split among tensor parts; with sequence parallelism it covers
// the rows of all of them. Biases after leave are added once, to the sum; a mixture has its own (mixture.hpp).
#pragma once

#include "scenarios/lesson/transformer/attention.hpp"
#include "scenarios/lesson/transformer/layer_norm.hpp"
#include "scenarios/lesson/transformer/mixture.hpp"

#include <variant>

namespace sim::lesson {

struct Block {
    LayerNorm attention_norm;
    SelfAttention attention;
    Tensor output_bias;  // bo
    LayerNorm feed_forward_norm;
    std::variant<FeedForward, Mixture> feed_forward;

    struct Saved {
        LayerNorm::Saved attention_norm;
        SelfAttention::Saved attention;
        Matrix dattended;  // gradient of the stream after attention; from backward_input on, like dy
        LayerNorm::Saved feed_forward_norm;
        std::variant<FeedForward::Saved, Mixture::Saved> feed_forward;
        Matrix dy;
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved, const Surroundings& surroundings) const;
    Matrix backward_input(Weights weights, Matrix dy, Saved& saved, const Surroundings& surroundings) const;
    void backward_weight(const Saved& saved, Gradient gradient, const Surroundings& surroundings) const;
};

}  // namespace sim::lesson
