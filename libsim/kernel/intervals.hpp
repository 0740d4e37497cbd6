// Intervals is a sorted list of disjoint time intervals in which a stream was busy or waited.
#pragma once

#include "libsim/units.hpp"

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
    // How much of `interval` is covered.
    Duration covered(const Interval& interval) const;
    // Removes what has ended by `time`.
    void forget_until(Time time);

    bool empty() const { return all_.empty(); }
    const Interval& back() const { return all_.back(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

private:
    std::vector<Interval> all_;
};

// The union of intervals in any order.
Intervals joined(std::vector<Interval> parts);

// The end of `work` begun at `begin`, which takes `pace` times as long during `slow`.
Time stretched_end(Time begin, Duration work, Pace pace, const Intervals& slow);

}  // namespace sim::kernel
