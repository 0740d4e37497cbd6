// A duration is typed as a number and its unit: 120ms, 1.5 s, 20us. Units: ps, ns, us, ms, s, min and h.
#pragma once

#include "libsim/units.hpp"

#include <optional>
#include <string>

namespace sim::config {

// Rounds to the nearest picosecond. Returns nothing if `text` is not a duration, or exceeds simulated time.
std::optional<Duration> duration_of_text(const std::string& text);

}  // namespace sim::config
