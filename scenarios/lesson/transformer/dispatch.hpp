// Sorting rows for an exchange between expert parts, and what arrives by local expert.
#pragma once

#include "scenarios/lesson/transformer/matrix.hpp"

#include <vector>

namespace sim::training {

// x in consecutive pieces of so many rows, and back. `columns` is the width where there is no row at all.
std::vector<Matrix> cut(const Matrix& x, const std::vector<Index>& rows);
Matrix stack(const std::vector<Matrix>& pieces, Index columns);

// counts[source][expert]: how many rows, ordered by expert, came from each source.
using Arrivals = std::vector<std::vector<Index>>;

// From what each source sent, all rows of each expert: those of source 0 first.
std::vector<Matrix> by_expert(const std::vector<Matrix>& from_sources, const Arrivals& counts, Index columns);
// The inverse.
std::vector<Matrix> by_source(const std::vector<Matrix>& of_experts, const Arrivals& counts, Index columns);

}  // namespace sim::training
