// The range of a predicted step contains 8 of 10 measured steps: training/uncertainty.hpp, and docs/accuracy.md.
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

// A warning for readers of the prediction if steps of this kind of model are known to be less accurate than others.
std::optional<std::string> warning_of_range(const training::Transformer& model, const training::Machine& machine);

// Whether two layouts of one model can be told apart: of ten pairs whose predicted steps differ by this much, nine were
// measured in the same order.
bool are_told_apart(Duration a, Duration b, const training::Machine& machine);

}  // namespace sim::predict
