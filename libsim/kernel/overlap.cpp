// Computing while messages are under way, on clusters where communication slows computation down.
//
// The slowed-down part of a computation is known only once the streams' times are known, so the computation waits for
// them. If no rank can go on then, because streams wait for ops that follow such computations, the computation that
// ends first by the times known so far is completed: whatever its streams still wait for comes after the end of another
// computation, which is later. With shared links, the kernel advances in time order: it looks at a computation again at
// its expected end, using what its streams have done by then.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

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

bool Kernel::computes_beside_streams(const RankState& self, const Op& op) const {
    return cluster_.compute.overlap_slowdown > 1 && !self.queues.empty() && op.stream == Stream::main;
}

// False: the computation waits until the streams' times are known.
bool Kernel::begin_compute_beside_streams(int rank, RankState& self, const Op& op) {
    prices_.computation(rank, op, self.op_number, self.program.clock);  // throws here, not when others go on
    const std::uint32_t number = self.op_number++;
    if (self.streams_are_done()) {
        compute_with_overlap(rank, self, {op, number}, self.program.clock);
        return true;
    }
    self.block(op, number);
    ++postponed_;
    if (links_) {
        agenda_.push({end_beside_streams(rank, self, op, self.program.clock), rank, number});
    }
    return false;
}

// Shared links: a computation has reached its expected end; it ends unless it has been slowed down meanwhile.
void Kernel::recheck_compute(int rank, Time now) {
    RankState& self = of(rank);
    const Time end = end_beside_streams(rank, self, self.pending, now);
    if (end > now) {
        agenda_.push({end, rank, self.pending_number});
        return;
    }
    end_postponed_compute(rank, self, now);
}

Time Kernel::end_beside_streams(int rank, const RankState& self, const Op& op, Time now) {
    const Time begin = std::max(self.program.clock, self.computes_free);
    const Duration work = prices_.undisturbed_computation(rank, op, self.op_number, self.program.clock);
    if (conditions_.change_computations()) {
        std::vector<faults::Slowing> all(conditions_.slowings(rank).begin(), conditions_.slowings(rank).end());
        for (const Interval& part : busy_after(self.queues, begin, now)) {
            all.push_back({{.from = part.begin, .until = part.end}, overlap_pace_});
        }
        return faults::end_under(begin, work, all);
    }
    // Nearly always no stream is busy, or only one.
    const StreamQueue* busy = nullptr;
    for (const StreamQueue& at : self.queues) {
        if (at.busy_since || (!at.busy.empty() && at.busy.back().end > begin)) {
            if (busy != nullptr || at.busy_since) {
                return stretched_end(begin, work, overlap_pace_, busy_after(self.queues, begin, now));
            }
            busy = &at;
        }
    }
    return busy == nullptr ? later(begin, work) : stretched_end(begin, work, overlap_pace_, busy->busy);
}

void Kernel::compute_with_overlap(int rank, RankState& self, NumberedOp at, Time now) {
    const Time begin = std::max(self.program.clock, self.computes_free);
    const Time end = end_beside_streams(rank, self, at.op, now);
    self.computes_free = end;
    self.computing += end - self.program.clock;
    self.program.clock = end;
    self.forget_until_now();
    emit(rank, at.op, at.number, begin, end, Duration{0}, 0);
}

// The program is blocked in a computation whose streams' times are now known.
void Kernel::end_postponed_compute(int rank, RankState& self, Time now) {
    --postponed_;
    compute_with_overlap(rank, self, {self.pending, self.pending_number}, now);
    unblock(rank, self);
}

std::optional<Kernel::RankAt> Kernel::first_postponed_compute() {
    std::optional<RankAt> first;
    for (int rank = 0; rank < ranks(); ++rank) {
        const RankState& self = of(rank);
        if (!self.is_blocked_in(OpKind::compute)) {
            continue;
        }
        const Time end = end_beside_streams(rank, self, self.pending, Time{});
        if (!first || end < first->at) {
            first = RankAt{rank, end};
        }
    }
    return first;
}

}  // namespace sim::kernel
