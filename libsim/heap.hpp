// This is the simulator's only heap: it orders items by key, the least first, with four children per node.
//
// It has half the levels of a binary heap, and siblings share a cache line. push() and pop() cost O(log n).
// key_of(item), found by argument-dependent lookup, gives an item's key. Items with equal keys come in an arbitrary
// order that is the same in every run; a result that must not depend on it needs unique keys.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sim {

// The default observer: ignores where each item is placed.
struct PlacesUntold {
    template <class Item>
    void operator()(const Item& /*item*/, std::size_t /*place*/) const {}
};

// `Places` is called with each item that moves and its new place, so that replace() and erase() can be given that
// place.
template <class Item, class Places = PlacesUntold>
class Heap {
public:
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    // Requires: not empty (so do pop() and replace_top()).
    const Item& top() const { return items_.front(); }
    const Item& at(std::size_t place) const { return items_[place]; }
    Places& places() { return places_; }

    void push(const Item& item) {
        items_.push_back(item);
        rise(items_.size() - 1, item);
    }

    Item pop() {
        const Item first = items_.front();
        const Item last = items_.back();
        items_.pop_back();
        if (!items_.empty()) {
            sink(0, last);
        }
        return first;
    }

    // Equivalent to pop() and push(), in a single pass down.
    void replace_top(const Item& item) { sink(0, item); }

    // Requires: place < size() (so does erase()).
    void replace(std::size_t place, const Item& item) {
        if (place > 0 && key_of(item) < key_of(items_[parent_of(place)])) {
            rise(place, item);
        } else {
            sink(place, item);
        }
    }

    void erase(std::size_t place) {
        const Item last = items_.back();
        items_.pop_back();
        if (place < items_.size()) {
            replace(place, last);
        }
    }

private:
    static constexpr std::size_t children = 4;
    static std::size_t parent_of(std::size_t place) { return (place - 1) / children; }

    // Puts `item` into the hole at `place` or above.
    void rise(std::size_t place, const Item& item) {
        Item* const items = items_.data();
        const auto key = key_of(item);
        while (place > 0 && key < key_of(items[parent_of(place)])) {
            items[place] = items[parent_of(place)];
            places_(items[place], place);
            place = parent_of(place);
        }
        items[place] = item;
        places_(item, place);
    }

    // Puts `item` into the hole at `place` or below.
    void sink(std::size_t place, const Item& item) {
        Item* const items = items_.data();
        const std::size_t size = items_.size();
        const auto key = key_of(item);
        for (std::size_t first = place * children + 1; first < size; first = place * children + 1) {
            const std::size_t end = first + children < size ? first + children : size;
            // Selections, not branches: the least child is unpredictable.
            std::size_t least = first;
            auto least_key = key_of(items[first]);
            for (std::size_t child = first + 1; child < end; ++child) {
                const auto child_key = key_of(items[child]);
                const bool less = child_key < least_key;
                least = less ? child : least;
                least_key = less ? child_key : least_key;
            }
            if (!(least_key < key)) {
                break;
            }
            items[place] = items[least];
            places_(items[place], place);
            place = least;
        }
        items[place] = item;
        places_(item, place);
    }

    std::vector<Item> items_;
    [[no_unique_address]] Places places_;
};

}  // namespace sim
