// What is due next in the run of a schedule: by time, then by the number that an event got when it was first put in.
//
// An event may lie before what was popped last: CPUs of one rank have clocks of their own. So it is a heap, of four
// children to a node, which share a cache line.
#pragma once

#include "libsim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::goal {

struct Event {
    std::int64_t at = 0;
    std::uint32_t number = 0;
    std::uint32_t what = 0;
};

class EventHeap {
public:
    bool empty() {
        fill();
        return heap_.empty();
    }
    // Requires: not empty().
    const Event& top() const { return heap_.front(); }
    // The top is due later, with its number. Requires: not empty() was asked just before, as of pop().
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

    static UnsignedWide key_of(const Event& event) {
        return static_cast<UnsignedWide>(static_cast<std::uint64_t>(event.at)) << 32U | event.number;
    }

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

    // Puts `event` in place of the top.
    void sink(const Event& event) {
        const UnsignedWide key = key_of(event);
        const std::size_t size = heap_.size();
        std::size_t hole = 0;
        for (std::size_t first = 1; first < size; first = hole * children + 1) {
            const std::size_t end = first + children < size ? first + children : size;
            std::size_t least = first;
            UnsignedWide least_key = key_of(heap_[first]);
            // Selections, not branches: which child is least cannot be predicted.
            for (std::size_t child = first + 1; child < end; ++child) {
                const UnsignedWide child_key = key_of(heap_[child]);
                const bool less = child_key < least_key;
                least = less ? child : least;
                least_key = less ? child_key : least_key;
            }
            if (key <= least_key) {
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
