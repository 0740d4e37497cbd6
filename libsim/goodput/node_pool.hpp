// A node pool tracks the nodes of a long job: its empty places, its spare nodes, and when repaired nodes come back.
#pragma once

#include "libsim/goodput/job.hpp"

#include <deque>
#include <vector>

namespace sim::goodput {

class NodePool {
public:
    explicit NodePool(const LongJob& job) : job_(job), spares_(job.spares) {}

    bool has(int place) const;
    int missing() const { return static_cast<int>(empty_.size()); }
    // The time at which the next node is repaired; `never` if none is under repair.
    LongDuration next_back() const { return under_repair_.empty() ? faults::never : under_repair_.front(); }
    // Requires: has(place), and calls in the order of `at`.
    void take_out(int place, LongDuration at);
    // Fills empty places with spare nodes, which include those repaired by `now`.
    void fill(LongDuration now);
    // The replicas that the remaining nodes suffice for, wherever the empty places are.
    int replicas() const { return replicas_without(missing()); }
    // The time from which there can be more than `now` replicas; `never` if no repair under way is enough.
    LongDuration next_replica(int now) const;

private:
    int replicas_without(int nodes) const;

    const LongJob& job_;
    int spares_;
    std::vector<int> empty_;                 // places without a node
    std::deque<LongDuration> under_repair_;  // times at which they come back, ascending
};

}  // namespace sim::goodput
