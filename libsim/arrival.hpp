// An arrival is a message that is there for a rank, and not yet received.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <type_traits>

namespace sim {

// In place of a rank that sends: whoever it is.
inline constexpr int any_source = -1;

struct Arrival {
    std::int32_t source = any_source;  // any_source: nothing is there
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;  // of data; 0: time only
    Size size = Bytes{0};     // what it costs
};
static_assert(std::is_trivially_copyable_v<Arrival>);

}  // namespace sim
