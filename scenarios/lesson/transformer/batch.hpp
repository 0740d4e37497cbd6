// The training data consists of sequences of inputs, and the outputs of a fixed teacher for them.
//
// The seed and an item's number determine the item: a rank generates its own, and no data is loaded or sent.
#pragma once

#include "libsim/parallel/shares.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

#include <cstdint>

namespace sim::lesson {
using sim::Share;

// All positions of several items, item by item; a stage takes its own positions.
struct TokenBatch {
    Matrix inputs;   // items * S x inputs
    Matrix targets;  // items * S x outputs; with cross-entropy a column of classes
};

// Generates the items of `share`. The teacher's output o at position t, with inputs a = x_2o, b = x_2o+1 (cyclically)
// there and a' = x_2o at position t - 1, is tanh(a + 2 a b - b / 2 + a'): smooth, nonlinear, within (-1, 1), and
// impossible to learn without looking back. The class is the largest output.
TokenBatch make_batch(const Shape& shape, std::uint64_t seed, Share share);

// Extracts one of the contiguous parts of each item's rows from x, which has rows_per_item rows per item. Requires:
// part.of divides rows_per_item, which divides x.rows().
Matrix split_rows(const Matrix& x, Part part, int rows_per_item);

}  // namespace sim::lesson
