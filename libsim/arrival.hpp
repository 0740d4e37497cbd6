// An arrival is a message that has reached a rank and has not been received yet.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <type_traits>

namespace sim {

// Matches a message from any rank.
inline constexpr int any_source = -1;

struct Arrival {
    std::int32_t source = any_source;  // any_source: nothing has arrived
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;  // of payload; 0: time only
    Size size = Bytes{0};     // cost of the message
};
static_assert(std::is_trivially_copyable_v<Arrival>);

}  // namespace sim
