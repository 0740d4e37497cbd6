// The event queue is a heap of events ordered by (simulated time, rank, op number).
//
// The key depends only on the program, never on the order of arrival, so every run pops the same sequence.
#pragma once

#include "libsim/heap.hpp"
#include "libsim/units.hpp"

namespace sim::kernel {

struct Event {
    Time at;
    std::int32_t rank = 0;
    std::uint32_t op_number = 0;
    friend bool operator==(const Event&, const Event&) = default;
};

// Requires: at >= 0, rank >= 0.
inline UnsignedWide key_of(const Event& event) {
    const auto low = static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.rank)) << 32U | event.op_number;
    return static_cast<UnsignedWide>(static_cast<std::uint64_t>(event.at.time_since_epoch().count())) << 64U | low;
}

using EventQueue = Heap<Event>;

}  // namespace sim::kernel
