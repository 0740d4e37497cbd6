// What may delay single messages of a collective beyond their price.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/units.hpp"

#include <functional>

namespace sim::collectives {

// When a message of one member to another is there that begins at this time and has this price.
using MessageEnd = std::function<Time(int from, int to, Time begin, Duration price)>;

}  // namespace sim::collectives
