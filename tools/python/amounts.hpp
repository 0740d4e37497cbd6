// Amounts as Python programs give them: exactly one of units=, bytes=, flops= and seconds=.
#pragma once

#include "libsim/units.hpp"

#include <optional>

namespace sim::python {

// Empty if neither is given. Throws ProgramError for both, and for fractions of a byte.
std::optional<Size> size_given(std::optional<double> units, std::optional<double> bytes);
// Like size_given, but also throws ProgramError if neither is given; `what`: "send".
Size size_needed(const char* what, std::optional<double> units, std::optional<double> bytes);
// Throws ProgramError unless exactly one is given.
Work work_needed(std::optional<double> units, std::optional<double> flops, std::optional<double> seconds);
// Throws ProgramError for a negative duration and for one too long to simulate; `what`: "probe_for".
Duration duration_of(const char* what, double seconds);

}  // namespace sim::python
