// This check carries out each timed collective message by message, and with numbers.
#pragma once

#include "libsim/planning/collective_sweep.hpp"

#include <string>

namespace sim::tools {

// Carries out `timed` message by message on fibers, by size, which must take as long, and with floats, and notes how
// many of these are wrong. Returns an error text where that takes another time or breaks off, else an empty text.
std::string check_with_data(const planning::Sweep& sweep, planning::TimedMethod& timed);

}  // namespace sim::tools
