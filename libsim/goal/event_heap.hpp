// What is due next in the run of a schedule: by time, then by the number that an event got when it was first put in.
//
// An event may lie before what was popped last: CPUs of one rank have clocks of their own. So it is a heap, of four
// children to a node, which share a cache line.
#pragma once

#include "libsim/units.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::goal {

// As it lies in memory, on machines whose lowest byte comes first, it is one number of 128 bits, by which it is sorted.
struct alignas(16) Event {
    std::uint32_t what = 0;
    std::uint32_t number = 0;
    std::int64_t at = 0;
};
// Requires: at >= 0. No two events have the same number, so that `what` decides nothing.
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
    // Requires: empty() was asked just before, and said no; so do delay() and pop().
    const Event& top() const { return heap_.front(); }
    // The top is due later, under the number that it has.
    void delay(std::int64_t at) {
        Event event = heap_.front();
        event.at = at;
        sink(event);
    }
    // The place at the top is kept for the next push(), which nearly always follows.
    void pop() { hollow_ = true; }

    void push(const Event& event) {
        if (hollow_) {
            hollow_ = false;
            return sink(event);
        }
        heap_.push_back(event);
        const UnsignedWide key = key_of(event);
        std::size_t hole = heap_.size() - 1;
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / children;
            if (key_of(heap_[parent]) <= key) {
                break;
            }
            heap_[hole] = heap_[parent];
            hole = parent;
        }
        heap_[hole] = event;
    }

private:
    static constexpr std::size_t children = 4;

    void fill() {
        if (hollow_) {
            hollow_ = false;
            const Event last = heap_.back();
            heap_.pop_back();
            if (!heap_.empty()) {
                sink(last);
            }
        }
    }

    bool before(std::size_t a, std::size_t b) const { return key_of(heap_[a]) < key_of(heap_[b]); }

    // Which of the children from `first` on is due first. Arithmetic, not branches: it cannot be predicted.
    std::size_t least_of(std::size_t first) const {
        if (first + children <= heap_.size()) {
            const std::size_t left = first + static_cast<std::size_t>(before(first + 1, first));
            const std::size_t right = first + 2 + static_cast<std::size_t>(before(first + 3, first + 2));
            return before(right, left) ? right : left;
        }
        std::size_t least = first;
        for (std::size_t child = first + 1; child < heap_.size(); ++child) {
            least = before(child, least) ? child : least;
        }
        return least;
    }

    // Puts `event` in place of the top.
    void sink(const Event& event) {
        const UnsignedWide key = key_of(event);
        std::size_t hole = 0;
        for (std::size_t first = 1; first < heap_.size(); first = hole * children + 1) {
            const std::size_t least = least_of(first);
            if (key <= key_of(heap_[least])) {
                break;
            }
            heap_[hole] = heap_[least];
            hole = least;
        }
        heap_[hole] = event;
    }

    std::vector<Event> heap_;
    bool hollow_ = false;  // the first is popped
};

}  // namespace sim::goal
