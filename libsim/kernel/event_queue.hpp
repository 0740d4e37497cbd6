// What is due next: a heap of events by (simulated time, rank, op number).
//
// The key comes from the program alone, never from the order of arrival, so that every run pops the same sequence.
// Four children to a node: half the levels of a binary heap, and they share a cache line.
#pragma once

#include "libsim/units.hpp"

#include <cstddef>
#include <vector>

namespace sim {

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

class EventQueue {
public:
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    const Event& top() const { return heap_.front(); }

    void push(const Event& event) {
        const UnsignedWide key = key_of(event);
        heap_.push_back(event);
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

    Event pop() {
        const Event first = heap_.front();
        const Event last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) {
            sink(last);
        }
        return first;
    }

private:
    static constexpr std::size_t children = 4;

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
};

}  // namespace sim
