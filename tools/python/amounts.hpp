// Amounts as Python programs say them: units=, bytes=, flops= or seconds=, one of them.
#pragma once

#include "libsim/units.hpp"

#include <optional>

namespace sim::python {

// None of both: empty. Throws ProgramError for both, and for parts of a byte.
std::optional<Size> size_given(std::optional<double> units, std::optional<double> bytes);
// As above; `what`: "send". Throws ProgramError for none as well.
Size size_needed(const char* what, std::optional<double> units, std::optional<double> bytes);
// Throws ProgramError for none or several.
Work work_needed(std::optional<double> units, std::optional<double> flops, std::optional<double> seconds);
// Throws ProgramError for less than no time, and for more than can be simulated; `what`: "probe_for".
Duration duration_of(const char* what, double seconds);

}  // namespace sim::python
