// What is due next: items by time, each at most once, whose times may change. A heap that knows where everyone is.
//
// Items are small numbers. Every operation costs O(log n). Among items of one time any may be first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

class DueQueue {
public:
    struct Due {
        double at;
        std::uint32_t item;
    };
    bool empty() const { return heap_.empty(); }
    const Due& top() const { return heap_.front(); }

    // The item is due at `at`, whether it was due before or not.
    void put(std::uint32_t item, double at) {
        if (item >= places_.size()) {
            places_.resize(static_cast<std::size_t>(item) + 1, nowhere);
        }
        std::size_t place = places_[item];
        if (place == nowhere) {
            place = heap_.size();
            heap_.push_back({at, item});
        } else if (heap_[place].at == at) {
            return;
        }
        settle(place, {at, item});
    }

    void erase(std::uint32_t item) {
        if (item >= places_.size() || places_[item] == nowhere) {
            return;
        }
        const std::size_t place = places_[item];
        places_[item] = nowhere;
        const Due last = heap_.back();
        heap_.pop_back();
        if (place < heap_.size()) {
            settle(place, last);
        }
    }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    static constexpr std::size_t children = 4;

    void place(std::size_t hole, const Due& due) {
        heap_[hole] = due;
        places_[due.item] = static_cast<std::uint32_t>(hole);
    }

    void settle(std::size_t hole, const Due& due) {
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / children;
            if (heap_[parent].at <= due.at) {
                break;
            }
            place(hole, heap_[parent]);
            hole = parent;
        }
        for (std::size_t first = hole * children + 1; first < heap_.size(); first = hole * children + 1) {
            const std::size_t least = least_of(first);
            if (due.at <= heap_[least].at) {
                break;
            }
            place(hole, heap_[least]);
            hole = least;
        }
        place(hole, due);
    }

    std::size_t least_of(std::size_t first) const {
        const std::size_t end = first + children < heap_.size() ? first + children : heap_.size();
        std::size_t least = first;
        double least_at = heap_[first].at;
        // Selections, not branches: which child is least cannot be predicted.
        for (std::size_t child = first + 1; child < end; ++child) {
            const bool less = heap_[child].at < least_at;
            least = less ? child : least;
            least_at = less ? heap_[child].at : least_at;
        }
        return least;
    }

    std::vector<Due> heap_;
    std::vector<std::uint32_t> places_;  // by item
};

}  // namespace sim
