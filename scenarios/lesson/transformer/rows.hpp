// Splitting the positions of every item of a micro-batch among ranks.
//
// A micro-batch of k items is one matrix of k * rows_per_item rows, item after item. What a part of it holds is item
// after item again: the index-th of `of` contiguous parts of each item's rows.
#pragma once

#include "scenarios/lesson/transformer/matrix.hpp"
#include "scenarios/lesson/transformer/part.hpp"

#include <span>

namespace sim::training {

// Requires: part.of divides rows_per_item, which divides x.rows().
Matrix split_rows(const Matrix& x, Part part, int rows_per_item);

// The inverse, given all parts in order.
// Requires: parts are equally large and not none; rows_per_item_of_each_part divides their rows.
Matrix join_rows(std::span<const Matrix> parts, int rows_per_item_of_each_part);

}  // namespace sim::training
