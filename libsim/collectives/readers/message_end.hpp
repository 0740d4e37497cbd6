// This function type delays single messages of a collective beyond their price.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/units.hpp"

#include <functional>

namespace sim::collectives {

// The arrival time of a message that begins at `begin` and has this price.
using MessageEnd = std::function<Time(int from, int to, Time begin, Duration price)>;

}  // namespace sim::collectives
