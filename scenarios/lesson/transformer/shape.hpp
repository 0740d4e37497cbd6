// The size of the transformer that is really trained, and of one item it learns from.
#pragma once

namespace sim::training {

enum class Loss {
    mean_squared,   // of a row of outputs at each position
    cross_entropy,  // of a class at each position: outputs are its classes
};

// Requires: heads divides hidden; top_k <= experts where there are any.
struct Shape {
    int layers = 4;
    int hidden = 16;   // D: width of the residual stream
    int heads = 4;     // each hidden / heads wide
    int sequence = 8;  // S: positions of an item
    int inputs = 8;    // numbers given at each position
    int outputs = 4;   // numbers, or classes, asked for at each position
    int experts = 0;   // 0: one feed-forward part for all tokens
    int top_k = 2;     // experts that see a token, where there are experts
    Loss loss = Loss::mean_squared;

    int ffn() const { return 4 * hidden; }
    int head_width() const { return hidden / heads; }
};

}  // namespace sim::training
