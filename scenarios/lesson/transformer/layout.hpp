// A layout gives the weights of the model that a placement holds, and the place of each in the flat array.
//
// Order of the whole model, all of it row by row: embedding (We, be, P); each layer: LayerNorm (gain, bias), Wq, Wk,
// Wv, Wo, bo, LayerNorm, then W1, b1, W2, b2 or Wr and these four for each expert; head: LayerNorm, Wh, bh. A placement
// has the same order and leaves out weights that it does not hold.
#pragma once

#include "scenarios/lesson/transformer/block.hpp"
#include "scenarios/lesson/transformer/ends.hpp"
#include "scenarios/lesson/transformer/shape.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace sim::lesson {

// A range of a stage's flat weights.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const Range&) const = default;
};

// The weights of one layer, the embedding (layer -1) or the head (layer `layers`).
struct LayerWeights {
    int layer = 0;
    std::size_t begin = 0;
    std::size_t dense_end = 0;  // [begin, dense_end): the same on all expert parts
    std::size_t end = 0;        // [dense_end, end): this expert part's own
    bool operator==(const LayerWeights&) const = default;
};

struct WeightLayout {
    std::optional<Embedding> embedding;
    std::vector<Block> blocks;
    std::optional<Head> head;

    std::vector<Tensor> tensors;  // all of them, in order
    std::vector<LayerWeights> segments;
    std::size_t weight_count = 0;
};

// Throws std::invalid_argument if the model cannot be split this way.
WeightLayout layout_of(const Shape& shape, const PartPlacement& placement);

}  // namespace sim::lesson
