// Computing while messages are under way, on clusters where communication slows computation down.
//
// The slowed-down part of a computation is known only once the streams' times are known, so the computation waits for
// them: its end is deferred. If no rank can go on then, because streams wait for ops that follow such computations, the
// computation that ends first by the times known so far is completed: whatever its streams still wait for comes after
// the end of another computation, which is later. With shared links, the kernel advances in time order: it looks at a
// computation again at its expected end, using what its streams have done by then.
// (1) A rank defers at most one computation, the one that its program is blocked in.
// (2) Nothing but the program's own clock and its compute unit change here.
// Cost: nothing on clusters without a slowdown; otherwise the intervals in which the rank's streams were busy.
#pragma once

#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/parts/prices.hpp"
#include "libsim/kernel/parts/rank_state.hpp"

#include <optional>

namespace sim::kernel {

class Overlap {
public:
    struct Due {
        Time at;
        int rank;
    };

    // Both must outlive this object.
    Overlap(const Prices& prices, const faults::Conditions& conditions);

    // Whether the rank's streams may slow down this computation.
    bool concerns(const RankState& self, const Op& op) const {
        return slows_ && !self.queues.empty() && op.stream == Stream::main;
    }
    // The end of a computation begun at the program's clock, by what the streams have done until `now`.
    Time end(int rank, const RankState& self, const Op& op, Time now) const;
    // Executes the computation and returns when it ran. Requires: what the streams did until `now` is known.
    Interval compute(int rank, RankState& self, const Op& op, Time now) const;

    void defer() { ++deferred_; }
    void resume() { --deferred_; }
    bool any_deferred() const { return deferred_ > 0; }
    // The deferred computation that ends first by the times known so far. Cost: ranks.
    std::optional<Due> first(const Ranks& ranks) const;

private:
    const Prices* prices_;
    const faults::Conditions* conditions_;
    bool slows_;
    Pace pace_;  // of a computation while the rank's streams are busy
    int deferred_ = 0;
};

}  // namespace sim::kernel
