// A shape gives the size of the transformer that is actually trained, and of one training item; a placement gives the
// part of it that one rank, or one chunk of a rank's pipeline stage, holds.
#pragma once

namespace sim::lesson {

enum class LossKind {
    mean_squared,   // for a row of outputs at each position
    cross_entropy,  // for a class at each position: outputs is the number of classes
};

// Requires: heads divides hidden; top_k <= experts if there are any.
struct Shape {
    int layers = 4;
    int hidden = 16;   // D: width of the residual stream
    int heads = 4;     // each hidden / heads wide
    int sequence = 8;  // S: positions per item
    int inputs = 8;    // numbers given at each position
    int outputs = 4;   // numbers, or classes, predicted at each position
    int experts = 0;   // 0: a single MLP for all tokens
    int top_k = 2;     // experts per token, if there are experts
    LossKind loss = LossKind::mean_squared;

    int ffn() const { return 4 * hidden; }
    int head_width() const { return hidden / heads; }
};

// One of several equal parts. Requires: 0 <= index < of.
struct Part {
    int index = 0;
    int of = 1;
};

struct PartPlacement {
    int first_layer = 0;
    int layer_count = 0;
    bool has_embedding = false;
    bool has_head = false;
    Part tensor;   // heads, and the width of every MLP
    Part experts;  // expert e of E lives on part e * of / E
    Part context;  // positions of every item
    // Between blocks, each tensor part holds its own share of the context part's positions instead of all of them.
    bool sequence_parallel = false;
};

inline PartPlacement whole(const Shape& shape) {
    return {.layer_count = shape.layers, .has_embedding = true, .has_head = true};
}

// The number of positions of an item that a rank's attention covers.
inline int context_rows(const Shape& shape, const PartPlacement& placement) {
    return shape.sequence / placement.context.of;
}

// The number of positions of an item in a rank's residual stream, which stages pass on.
inline int stream_rows(const Shape& shape, const PartPlacement& placement) {
    return context_rows(shape, placement) / (placement.sequence_parallel ? placement.tensor.of : 1);
}

// Throws std::invalid_argument, with the reason, if the model cannot be split this way.
void require_fit(const Shape& shape, const PartPlacement& placement);

}  // namespace sim::lesson
