#include "libsim/kernel/features/overlap.hpp"

#include <algorithm>
#include <vector>

namespace sim::kernel {

namespace {

// The intervals after `from` in which any stream was busy, up to `now` for one that still is.
Intervals busy_after(const std::vector<StreamQueue>& queues, Time from, Time now) {
    std::vector<Interval> parts;
    for (const StreamQueue& at : queues) {
        for (const Interval& part : at.busy) {
            if (part.end > from) {
                parts.push_back({std::max(part.begin, from), part.end});
            }
        }
        if (at.busy_since && now > std::max(*at.busy_since, from)) {
            parts.push_back({std::max(*at.busy_since, from), now});
        }
    }
    return joined(std::move(parts));
}

}  // namespace

Overlap::Overlap(const Prices& prices, const faults::Conditions& conditions)
    : prices_(&prices),
      conditions_(&conditions),
      slows_(prices.cluster().compute.overlap_slowdown > 1),
      pace_(slowed({1, 1}, prices.cluster().compute.overlap_slowdown)) {}

Time Overlap::end(int rank, const RankState& self, const Op& op, Time now) const {
    const Time begin = std::max(self.program.clock, self.computes_free);
    const Duration work = prices_->undisturbed_computation(rank, op, self.op_number, self.program.clock);
    if (conditions_->change_computations()) {
        // Faults and streams slow down the same work, and their factors multiply where they overlap, so both are
        // applied in one pass over time.
        std::vector<faults::Slowing> all(conditions_->slowings(rank).begin(), conditions_->slowings(rank).end());
        for (const Interval& part : busy_after(self.queues, begin, now)) {
            all.push_back({{.from = part.begin, .until = part.end}, pace_});
        }
        return faults::end_under(begin, work, all);
    }
    // Nearly always no stream is busy, or only one.
    const StreamQueue* busy = nullptr;
    for (const StreamQueue& at : self.queues) {
        if (at.busy_since || (!at.busy.empty() && at.busy.back().end > begin)) {
            if (busy != nullptr || at.busy_since) {
                return stretched_end(begin, work, pace_, busy_after(self.queues, begin, now));
            }
            busy = &at;
        }
    }
    return busy == nullptr ? later(begin, work) : stretched_end(begin, work, pace_, busy->busy);
}

Interval Overlap::compute(int rank, RankState& self, const Op& op, Time now) const {
    const Interval ran{std::max(self.program.clock, self.computes_free), end(rank, self, op, now)};
    self.computes_free = ran.end;
    self.computing += ran.end - self.program.clock;
    self.program.clock = ran.end;
    self.forget_until_now();
    return ran;
}

std::optional<Overlap::Due> Overlap::first(const Ranks& ranks) const {
    std::optional<Due> first;
    for (int rank = 0; deferred_ > 0 && rank < ranks.size(); ++rank) {
        const RankState& self = ranks[rank];
        if (!self.is_blocked_in(OpKind::compute)) {
            continue;
        }
        const Time at = end(rank, self, self.pending, Time{});
        if (!first || at < first->at) {
            first = Due{at, rank};
        }
    }
    return first;
}

}  // namespace sim::kernel
