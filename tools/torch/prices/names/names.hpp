// The names of operators, by kinds: a row is a kind and some of its names, with blanks between them. No name stands
// twice.
#pragma once

#include "tools/torch/prices/kind.hpp"

#include <span>

namespace sim::torch::prices {

struct Names {
    Kind kind;
    const char* names;
};

std::span<const Names> names_of_views();
std::span<const Names> names_of_products();  // of all that multiplies matrices
std::span<const Names> names_of_elementwise();
std::span<const Names> names_of_traffic();    // of what else reads and writes
std::span<const Names> names_of_stand_ins();  // of other packages' kernels
std::span<const Names> names_of_guessed();

}  // namespace sim::torch::prices
