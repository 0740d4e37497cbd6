// This check compares the weights of two trainings.
#pragma once

#include <span>

namespace sim::scenarios {

// Runs agree if no weight differs by more, relatively: sums in another order differ in their last digits.
inline constexpr double weights_agree = 1e-9;

// A weight's values after training in two ways, and before.
struct TrainedWeights {
    std::span<const double> a;
    std::span<const double> b;
    std::span<const double> start;
};

// The largest |a - b| / max(|a|, |b|, |start|) of the weights in the same place; infinite if one is not finite or one
// array is longer.
// The start counts because a weight is its start less the steps: of one that came from 0.02 to 0.00000002, what was
// rounded are numbers like 0.02, and their last digits are eight of its own.
double relative_difference(const TrainedWeights& weights);

}  // namespace sim::scenarios
