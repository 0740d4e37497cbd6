// The names of operators by kind. A row is a kind and some of its names, separated by blanks. No name occurs twice.
#pragma once

#include "tools/torch/prices/kind.hpp"

#include <span>

namespace sim::torch::prices {

struct Names {
    Kind kind;
    const char* names;
};

std::span<const Names> names_of_views();
std::span<const Names> names_of_products();  // all that multiply matrices
std::span<const Names> names_of_elementwise();
std::span<const Names> names_of_traffic();    // all others that read and write
std::span<const Names> names_of_stand_ins();  // other packages' kernels
std::span<const Names> names_of_guessed();

}  // namespace sim::torch::prices
