#include "libsim/goodput/node_pool.hpp"

#include "libsim/check.hpp"

#include <algorithm>

namespace sim::goodput {

bool NodePool::has(int place) const {
    return std::find(empty_.begin(), empty_.end(), place) == empty_.end();
}

void NodePool::take_out(int place, LongDuration at) {
    const LongDuration back = at + job_.repair;
    check(under_repair_.empty() || under_repair_.back() <= back, "a node fails before the one that failed last");
    empty_.push_back(place);
    // All repairs take equally long, so nodes come back in the order in which they failed, and a queue is enough.
    under_repair_.push_back(back);
}

void NodePool::fill(LongDuration now) {
    while (!under_repair_.empty() && under_repair_.front() <= now) {
        under_repair_.pop_front();
        ++spares_;
    }
    while (spares_ > 0 && !empty_.empty()) {
        empty_.pop_back();
        --spares_;
    }
}

int NodePool::replicas_without(int nodes) const {
    const std::int64_t gpus = std::int64_t{job_.nodes() - nodes} * job_.gpus_per_node;
    // Survivors are gathered into whole replicas, whichever nodes failed.
    const std::int64_t whole = gpus * job_.replicas / job_.gpus;
    return static_cast<int>(std::min<std::int64_t>(whole, job_.replicas));
}

LongDuration NodePool::next_replica(int now) const {
    int without = missing();
    for (const LongDuration back : under_repair_) {
        if (replicas_without(--without) > now) {
            return back;
        }
    }
    return faults::never;
}

}  // namespace sim::goodput
