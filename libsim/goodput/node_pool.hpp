// The nodes of a long job: which of its places are empty, which spare nodes wait, and when repaired ones come back.
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
    // When the next node is repaired; never, if none is under repair.
    LongDuration next_back() const { return under_repair_.empty() ? faults::never : under_repair_.front(); }
    // Requires: the job has it. Failures come in the order of time.
    void take_out(int place, LongDuration at);
    // Nodes that are repaired by now, and spare ones, take the empty places.
    void fill(LongDuration now);
    // Replicas that the nodes are enough for, wherever they stand.
    int replicas() const { return replicas_without(missing()); }
    // When there will be more of them than `now`; never, if no repair under way does that.
    LongDuration next_replica(int now) const;

private:
    int replicas_without(int nodes) const;

    const LongJob& job_;
    int spares_;
    std::vector<int> empty_;                 // places
    std::deque<LongDuration> under_repair_;  // when each comes back, the first one first
};

}  // namespace sim::goodput
