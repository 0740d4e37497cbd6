// A network field is a number of a network model that a profile file sets as a key of its table [network].
#pragma once

#include "libsim/units.hpp"

#include <variant>

namespace sim::network {

struct NetworkField {
    const char* key;  // "latency_seconds"
    // The destination, whose type gives the unit: seconds, seconds for each byte, or bytes.
    std::variant<Duration*, Pace*, Bytes*> to;
    bool required = false;  // else the model's own value stands
};

}  // namespace sim::network
