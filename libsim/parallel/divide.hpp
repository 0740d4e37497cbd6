// This function checks divisions that must come out even: heads over tp, layers over pp, items over dp.
//
// Errors: ProgramError, naming the nearest values that would fit:
//   5 heads cannot be split over tp 2; 4 or 6 heads, or tp 1 or 5, would fit
// Cost: one division, and if it fails, the square root of `amount`.
#pragma once

#include "libsim/namespaces.hpp"

#include <cstdint>
#include <string_view>

namespace sim::parallel {

// Requires that `amount` (of `what`, 0 or more) is a whole multiple of `parts` (of `by_what`, 1 or more).
void check_divides(std::string_view what, std::int64_t amount, std::string_view by_what, std::int64_t parts);

}  // namespace sim::parallel
