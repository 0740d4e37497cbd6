// This list holds a rank's asynchronous ops that have begun and have neither been joined nor forgotten.
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
    bool forgotten = false;            // nobody will name it again; once it is done it is as if it were joined
    Stream started_by = Stream::main;  // of Stream::aside
    std::uint32_t place = 0;           // a receive of that: where its data are (DataAhead), from 1; 0: they were taken
    AsyncId id = {};                   // add() sets it
    Time begin = {};
    Time end = {};
    Message message = {};  // receive: what came
};

// They lie in the order begun; those that are joined go once they are half of all, so that one that stays open holds no
// others. Cost: constant per op, but for one that is older than many joined ones: a binary search.
class Joinables {
public:
    AsyncId add(const Joinable& joinable) {
        all_.push_back(joinable);
        return all_.back().id = static_cast<AsyncId>(next_++);
    }

    // What a stream has started is as it says, but for its name. Requires: it is there.
    AsyncId begin_started(AsyncId id, Joinable joinable) {
        Joinable& started = *find(id);
        joinable.id = id;
        joinable.forgotten = started.forgotten;
        joinable.started_by = started.started_by;
        joinable.place = started.place;
        started = joinable;
        return id;
    }

    // Null if it never was or is joined already.
    Joinable* find(AsyncId id) {
        const std::size_t newer = next_ - 1 - static_cast<std::size_t>(id);  // huge for what never was
        if (newer < all_.size() && all_[all_.size() - 1 - newer].id == id) [[likely]] {
            return open_or_null(all_[all_.size() - 1 - newer]);
        }
        const auto is_before = [](const Joinable& joinable, AsyncId wanted) { return joinable.id < wanted; };
        const auto found = std::lower_bound(all_.begin(), all_.end(), id, is_before);
        return found == all_.end() || found->id != id ? nullptr : open_or_null(*found);
    }
    // The same for who is told its name by the program: null if that has forgotten it, too.
    Joinable* find_named(AsyncId id) {
        Joinable* const found = find(id);
        return found == nullptr || found->forgotten ? nullptr : found;
    }

    void note_joined(Joinable& joinable) {
        joinable.joined = true;
        ++joined_;
    }
    // Their places are used again: no pointer to one that is left stays valid.
    void drop_joined() {
        if (joined_ == all_.size()) {
            all_.clear();
            joined_ = 0;
        } else if (joined_ * 2 > all_.size()) {
            std::erase_if(all_, [](const Joinable& joinable) { return joinable.joined; });
            joined_ = 0;
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
    static Joinable* open_or_null(Joinable& joinable) { return joinable.joined ? nullptr : &joinable; }

    std::vector<Joinable> all_;
    std::size_t next_ = 0;    // id
    std::size_t joined_ = 0;  // how many of `all_` are
};

}  // namespace sim::kernel
