// The training data are sequences of inputs, and the outputs of a fixed teacher for them.
//
// An item follows from the seed and its number alone: a rank makes those it has, and no data is loaded or sent.
#pragma once

#include "libsim/parallel/shares.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

#include <cstdint>

namespace sim::lesson {
using sim::Share;

// All positions of so many items, item after item; a stage takes those that are its own.
struct TokenBatch {
    Matrix inputs;   // items * S x inputs
    Matrix targets;  // items * S x outputs; with cross-entropy a column of classes
};

// Makes the items of `share`. The teacher's output o at position t, of inputs a = x_2o, b = x_2o+1 (cyclically) there
// and of a' = x_2o at position t - 1, is tanh(a + 2 a b - b / 2 + a'): smooth, not linear, within (-1, 1), and
// impossible to learn without looking back. The class is the largest of them.
TokenBatch make_batch(const Shape& shape, std::uint64_t seed, Share share);

// Takes from x, item after item of rows_per_item rows, one of the contiguous parts of each item's rows, item after item
// again. Requires: part.of divides rows_per_item, which divides x.rows().
Matrix split_rows(const Matrix& x, Part part, int rows_per_item);

}  // namespace sim::lesson
