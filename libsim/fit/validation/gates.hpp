// A gate is the mean absolute error of step time that ndsim promises for a set of published runs; docs/accuracy.md
// reports which promises it keeps.
#pragma once

#include <optional>
#include <string_view>

namespace sim::fit {

// A share of 1; none if nothing is promised.
std::optional<double> promised_error(std::string_view set);

inline constexpr double promised_memory_error = 0.05;
inline constexpr double promised_correlation = 0.9;  // within sweeps

}  // namespace sim::fit
