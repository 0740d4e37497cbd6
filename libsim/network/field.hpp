// A network field is a parameter of a network model that a profile file sets by a key in its [network] table.
#pragma once

#include "libsim/units.hpp"

#include <variant>

namespace sim::network {

struct NetworkField {
    const char* key;  // "latency_seconds"
    // The destination; its type gives the unit: seconds, seconds per byte, or bytes.
    std::variant<Duration*, Pace*, Bytes*> to;
    bool required = false;  // otherwise the model's default applies
};

}  // namespace sim::network
