// Whether two trainings came to the same weights.
#pragma once

#include <span>

namespace sim::scenarios {

// Runs agree if no weight differs by more, relatively: sums in another order differ in their last digits.
inline constexpr double weights_agree = 1e-9;

// The largest |a - b| / max(|a|, |b|) of two weights in the same place; infinite if one is not finite or one array is
// longer.
double relative_difference(std::span<const double> a, std::span<const double> b);

}  // namespace sim::scenarios
