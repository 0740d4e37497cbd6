// A rank's asynchronous ops that have begun and have not been joined.
#pragma once

#include "libsim/kernel/matching.hpp"
#include "libsim/op.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sim {

struct Joinable {
    Op op = {};
    std::uint32_t op_number = 0;
    bool done = false;  // `end` is known
    bool joined = false;
    Time begin = {};
    Time end = {};
    Message message = {};  // receive: what came
};

// Numbered by the rank from 0, in the order begun. Joined ones are forgotten once no older one is open.
class Joinables {
public:
    std::int64_t add(const Joinable& joinable) {
        all_.push_back(joinable);
        return first_ + static_cast<std::int64_t>(all_.size()) - 1;
    }

    // Null if it never was or is joined already.
    Joinable* find(std::int64_t number) {
        const std::int64_t index = number - first_;
        if (index < 0 || index >= static_cast<std::int64_t>(all_.size()) || at(index).joined) {
            return nullptr;
        }
        return &at(index);
    }

    void forget_joined() {
        std::size_t joined = 0;
        while (joined < all_.size() && all_[joined].joined) {
            ++joined;
        }
        // All at once, or in halves: a constant share of the work per op.
        if (joined == all_.size() || joined * 2 > all_.size()) {
            all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(joined));
            first_ += static_cast<std::int64_t>(joined);
        }
    }

    // The oldest that has no end yet, or null.
    Joinable* oldest_under_way() {
        const auto under_way = [](const Joinable& joinable) { return !joinable.joined && !joinable.done; };
        const auto found = std::find_if(all_.begin(), all_.end(), under_way);
        return found == all_.end() ? nullptr : &*found;
    }

    std::span<Joinable> all() { return all_; }

private:
    Joinable& at(std::int64_t index) { return all_[static_cast<std::size_t>(index)]; }

    std::vector<Joinable> all_;
    std::int64_t first_ = 0;
};

}  // namespace sim
