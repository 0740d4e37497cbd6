// Amounts as Python programs say them: units=, bytes= or flops=, one of them.
#pragma once

#include "libsim/units.hpp"

#include <optional>

namespace sim::python {

// None of both: empty. Throws ProgramError for both, and for parts of a byte.
std::optional<Size> size_given(std::optional<double> units, std::optional<double> bytes);
// As above; `what`: "send". Throws ProgramError for none as well.
Size size_needed(const char* what, std::optional<double> units, std::optional<double> bytes);
// Throws ProgramError for none or both.
Work work_needed(std::optional<double> units, std::optional<double> flops);

}  // namespace sim::python
