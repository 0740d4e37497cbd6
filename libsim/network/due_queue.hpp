// A due queue orders items by time, each at most once, and lets their times change. It is a heap that tracks the
// position of each item.
//
// Items are small integers. Every operation costs O(log n). Items with equal times come in an arbitrary order.
#pragma once

#include "libsim/heap.hpp"
#include "libsim/namespaces.hpp"

#include <cstdint>

namespace sim::network {

struct Due {
    double at;
    std::uint32_t item;
};
inline double key_of(const Due& due) {
    return due.at;
}

class DueQueue {
public:
    bool empty() const { return heap_.empty(); }
    const Due& top() const { return heap_.top(); }

    // Makes the item due at `at`, whether or not it was due before.
    void put(std::uint32_t item, double at) {
        std::vector<std::uint32_t>& place_of = heap_.places().of;
        if (item >= place_of.size()) {
            place_of.resize(static_cast<std::size_t>(item) + 1, nowhere);
        }
        const std::uint32_t place = place_of[item];
        if (place == nowhere) {
            heap_.push({at, item});
        } else if (heap_.at(place).at != at) {
            heap_.replace(place, {at, item});
        }
    }

    void erase(std::uint32_t item) {
        std::vector<std::uint32_t>& place_of = heap_.places().of;
        if (item < place_of.size() && place_of[item] != nowhere) {
            heap_.erase(std::exchange(place_of[item], nowhere));
        }
    }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;

    struct Places {
        std::vector<std::uint32_t> of;  // by item
        void operator()(const Due& due, std::size_t place) { of[due.item] = static_cast<std::uint32_t>(place); }
    };
    Heap<Due, Places> heap_;
};

}  // namespace sim::network
