// The event heap orders the events of a schedule's run by time, then by the number that an event got when it was first
// pushed.
//
// It is a heap because an event may be due before the one popped last: each CPU of a rank has a clock of its own.
#pragma once

#include "libsim/heap.hpp"
#include "libsim/units.hpp"

#include <bit>
#include <cstdint>

namespace sim::goal {

// Its memory layout on little-endian machines is one number of 128 bits, which is the sort key.
struct alignas(16) Event {
    std::uint32_t what = 0;
    std::uint32_t number = 0;
    std::int64_t at = 0;
};
// Requires: at >= 0. No two events have the same number, so `what` never decides.
inline UnsignedWide key_of(const Event& event) {
    if constexpr (std::endian::native == std::endian::little) {
        return std::bit_cast<UnsignedWide>(event);
    } else {
        return static_cast<UnsignedWide>(static_cast<std::uint64_t>(event.at)) << 64U |
               static_cast<UnsignedWide>(event.number) << 32U | event.what;
    }
}

class EventHeap {
public:
    bool empty() {
        fill();
        return heap_.empty();
    }
    // Requires: empty() has just returned false; the same holds for delay() and pop().
    const Event& top() const { return heap_.top(); }
    // The top becomes due later, and keeps its number.
    void delay(std::int64_t at) {
        Event event = heap_.top();
        event.at = at;
        heap_.replace_top(event);
    }
    // Keeps the slot at the top for the next push(), which nearly always follows.
    void pop() { hollow_ = true; }

    void push(const Event& event) {
        if (hollow_) {
            hollow_ = false;
            heap_.replace_top(event);
        } else {
            heap_.push(event);
        }
    }

private:
    void fill() {
        if (hollow_) {
            hollow_ = false;
            heap_.pop();
        }
    }

    Heap<Event> heap_;
    bool hollow_ = false;  // the top has been popped
};

}  // namespace sim::goal
