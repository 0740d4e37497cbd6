// Which part of the transformer one rank, or one chunk of a rank's pipeline stage, holds.
#pragma once

#include "scenarios/lesson/transformer/part.hpp"
#include "scenarios/lesson/transformer/shape.hpp"

namespace sim::training {

struct Placement {
    int first_layer = 0;
    int layer_count = 0;
    bool has_embedding = false;
    bool has_head = false;
    Part tensor;   // heads, and the width of every feed-forward part
    Part experts;  // expert e of E lives on part e * of / E
    Part context;  // positions of every item
    // Between blocks, each tensor part holds its own share of the context part's positions instead of all of them.
    bool sequence_parallel = false;
};

inline Placement whole(const Shape& shape) {
    return {.layer_count = shape.layers, .has_embedding = true, .has_head = true};
}

// Positions of an item that a rank's attention sees.
inline int context_rows(const Shape& shape, const Placement& placement) {
    return shape.sequence / placement.context.of;
}

// Positions of an item in a rank's residual stream: what its stages hand to each other.
inline int stream_rows(const Shape& shape, const Placement& placement) {
    return context_rows(shape, placement) / (placement.sequence_parallel ? placement.tensor.of : 1);
}

// Throws std::invalid_argument, with the reason, where the model cannot be split so.
void require_fit(const Shape& shape, const Placement& placement);

}  // namespace sim::training
