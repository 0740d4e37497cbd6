// This list holds a rank's asynchronous ops that have begun and have neither been joined nor forgotten.
#pragma once

#include "libsim/kernel/parts/ids.hpp"
#include "libsim/kernel/parts/matching.hpp"
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
    bool forgotten = false;  // the program will not name it again; counts as joined once it is done
    AsyncId id = {};         // add() sets it
    Time begin = {};
    Time end = {};
    Message message = {};  // receive: the message that arrived
};

// Kept in the order begun. Joined ops are removed once they are half of all, so one that stays open keeps no others
// alive. Cost: constant per op; a binary search for one that is older than many joined ones.
class Joinables {
public:
    AsyncId add(const Joinable& joinable) {
        all_.push_back(joinable);
        return all_.back().id = static_cast<AsyncId>(next_++);
    }

    // Null if the op never existed or is already joined.
    Joinable* find(AsyncId id) {
        const std::size_t newer = next_ - 1 - static_cast<std::size_t>(id);  // huge for an id never given out
        if (newer < all_.size() && all_[all_.size() - 1 - newer].id == id) [[likely]] {
            return open_or_null(all_[all_.size() - 1 - newer]);
        }
        const auto is_before = [](const Joinable& joinable, AsyncId wanted) { return joinable.id < wanted; };
        const auto found = std::lower_bound(all_.begin(), all_.end(), id, is_before);
        return found == all_.end() || found->id != id ? nullptr : open_or_null(*found);
    }
    // The same for an id that the program names: also null if the program has forgotten it.
    Joinable* find_named(AsyncId id) {
        Joinable* const found = find(id);
        return found == nullptr || found->forgotten ? nullptr : found;
    }

    void note_joined(Joinable& joinable) {
        joinable.joined = true;
        ++joined_;
    }
    // Their slots are reused, so no pointer to a remaining op stays valid.
    void drop_joined() {
        if (joined_ == all_.size()) {
            all_.clear();
            joined_ = 0;
        } else if (joined_ * 2 > all_.size()) {
            std::erase_if(all_, [](const Joinable& joinable) { return joinable.joined; });
            joined_ = 0;
        }
    }

    // The oldest whose end is not known yet, or null.
    Joinable* oldest_under_way() {
        const auto under_way = [](const Joinable& joinable) { return !joinable.joined && !joinable.done; };
        const auto found = std::find_if(all_.begin(), all_.end(), under_way);
        return found == all_.end() ? nullptr : &*found;
    }

    std::span<Joinable> all() { return all_; }

private:
    static Joinable* open_or_null(Joinable& joinable) { return joinable.joined ? nullptr : &joinable; }

    std::vector<Joinable> all_;
    std::size_t next_ = 0;    // next id
    std::size_t joined_ = 0;  // how many of `all_` are joined
};

}  // namespace sim::kernel
