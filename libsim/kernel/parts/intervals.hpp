// Intervals is a sorted list of disjoint time intervals in which a stream was busy or waited.
#pragma once

#include "libsim/units.hpp"

#include <algorithm>
#include <vector>

namespace sim::kernel {

struct Interval {
    Time begin;
    Time end;
};

class Intervals {
public:
    // Adds an interval at the end, or nothing if it is empty. Requires: no interval ends later than `begin`.
    void note(Time begin, Time end);
    // Covered part of `interval`.
    Duration covered(const Interval& interval) const;
    // Removes the intervals that have ended by `time`.
    void forget_until(Time time);
    // Like note(), but may drop intervals that have ended by `past`, so memory stays proportional to the later ones.
    void note_after(Time past, Time begin, Time end) {
        if (all_.size() == all_.capacity()) [[unlikely]] {
            make_room_after(past);
        }
        note(begin, end);
    }

    bool empty() const { return all_.empty(); }
    const Interval& back() const { return all_.back(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    // The first interval that ends after `time`. Cost: logarithmic.
    auto after(Time time) const {
        return std::partition_point(all_.begin(), all_.end(), [&](const Interval& part) { return part.end <= time; });
    }

private:
    void make_room_after(Time past);

    std::vector<Interval> all_;
};

// Part of `interval` that both cover.
Duration covered_by_both(const Intervals& a, const Intervals& b, const Interval& interval);

// The union of intervals in any order.
Intervals joined(std::vector<Interval> parts);

// The end of `work` begun at `begin`, which takes `pace` times as long during `slow`.
Time stretched_end(Time begin, Duration work, Pace pace, const Intervals& slow);

}  // namespace sim::kernel
