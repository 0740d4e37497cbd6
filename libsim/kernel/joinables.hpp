// This list holds a rank's asynchronous ops that have begun and have not been joined.
#pragma once

#include "libsim/kernel/ids.hpp"
#include "libsim/kernel/matching.hpp"
#include "libsim/op.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::kernel {

struct Joinable {
    Op op = {};
    std::uint32_t op_number = 0;
    bool done = false;  // `end` is known
    bool joined = false;
    Time begin = {};
    Time end = {};
    Message message = {};  // receive: what came
};

// Joined ones are forgotten once no older one is open.
class Joinables {
public:
    AsyncId add(const Joinable& joinable) {
        all_.push_back(joinable);
        return static_cast<AsyncId>(first_ + all_.size() - 1);
    }

    // Null if it never was or is joined already.
    Joinable* find(AsyncId id) {
        const std::size_t index = static_cast<std::size_t>(id) - first_;  // huge for what is forgotten
        return index < all_.size() && !all_[index].joined ? &all_[index] : nullptr;
    }

    void forget_joined() {
        std::size_t joined = 0;
        while (joined < all_.size() && all_[joined].joined) {
            ++joined;
        }
        // All at once, or in halves: a constant share of the work per op.
        if (joined == all_.size() || joined * 2 > all_.size()) {
            all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(joined));
            first_ += joined;
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
    std::vector<Joinable> all_;
    std::size_t first_ = 0;
};

}  // namespace sim::kernel
