// The range of a predicted step is where 8 of 10 measured ones lie: training/uncertainty.hpp, and docs/accuracy.md.
#pragma once

#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <string>

namespace sim::predict {

// Seconds.
struct StepRange {
    double lowest = 0;
    double highest = 0;
    bool holds(double seconds) const { return lowest <= seconds && seconds <= highest; }
};
StepRange range_of(Duration step, const training::Transformer& model, const training::Machine& machine);

// A sentence for whoever reads the prediction: steps of this kind of model are known to be further off than others.
std::optional<std::string> warning_of_range(const training::Transformer& model, const training::Machine& machine);

// Whether two layouts of one model can be told apart: of ten pairs whose predicted steps differ by so much, nine were
// measured in the same order.
bool are_told_apart(Duration a, Duration b, const training::Machine& machine);

}  // namespace sim::predict
