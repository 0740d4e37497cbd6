// Computing while messages are under way: where the cluster says that the one slows the other down.
//
// How much of a computation is slowed down shows only when the streams' times are known, so it waits for them. Should
// nobody be able to go on then, because streams wait for what programs do after such computations, the one that ends
// first, by what is known, is done: whatever its streams still wait for comes after the end of another, which is later.
// Where links are shared, time itself says what is known: a computation is looked at again when it would end, by what
// its streams have done until then.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim {

namespace {

// All times at which a stream was busy after `from`, and until `now` where it still is, sorted, without overlaps.
std::vector<Lane::Interval> busy_after(const std::vector<Lane>& lanes, Time from, Time now) {
    std::vector<Lane::Interval> parts;
    for (const Lane& lane : lanes) {
        for (const Lane::Interval& part : lane.busy) {
            if (part.end > from) {
                parts.push_back({std::max(part.begin, from), part.end});
            }
        }
        if (lane.busy_since && now > std::max(*lane.busy_since, from)) {
            parts.push_back({std::max(*lane.busy_since, from), now});
        }
    }
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<Lane::Interval> joined;
    for (const Lane::Interval& part : parts) {
        if (!joined.empty() && part.begin <= joined.back().end) {
            joined.back().end = std::max(joined.back().end, part.end);
        } else {
            joined.push_back(part);
        }
    }
    return joined;
}

// The end of `work` begun at `begin`, which takes `pace` times as long during `slow`, whose parts are sorted.
Time stretched_end(Time begin, Duration work, Pace pace, const std::vector<Lane::Interval>& slow) {
    Time at = begin;
    for (const Lane::Interval& part : slow) {
        if (part.end <= at) {
            continue;
        }
        const Time from = std::max(part.begin, at);
        if (work <= from - at) {
            break;
        }
        work -= from - at;
        const Duration slowed_work = time_for(work.count(), pace);
        if (slowed_work <= part.end - from) {
            return later(from, slowed_work);
        }
        // Rounded down: a computation never gains from being slowed down.
        __extension__ using Wide = __int128;
        const Wide done = Wide{(part.end - from).count()} * pace.amount / pace.picoseconds;
        work -= Duration{static_cast<std::int64_t>(done)};
        at = part.end;
    }
    return later(at, work);
}

}  // namespace

bool Kernel::computes_beside_streams(const Rank& self, const Op& op) const {
    return cluster_.compute.overlap_slowdown > 1 && !self.lanes.empty() && op.stream == Stream::main;
}

// False: it waits until the streams' times are known.
bool Kernel::begin_compute_beside_streams(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    if (streams_are_done(self)) {
        compute_beside_streams(rank, self, op, number, self.clock);
        return true;
    }
    block(self, op, number);
    ++postponed_;
    if (shared_links_) {
        agenda_.push({end_beside_streams(rank, self, op, self.clock), rank, number});
    }
    return false;
}

// Shared links: the time has come at which a computation ends, if it has not been slowed down meanwhile.
void Kernel::look_at_compute(int rank, Time now) {
    Rank& self = of(rank);
    const Time end = end_beside_streams(rank, self, self.pending, now);
    if (end > now) {
        agenda_.push({end, rank, self.pending_number});
        return;
    }
    --postponed_;
    compute_beside_streams(rank, self, self.pending, self.pending_number, now);
    unblock(rank, self);
}

Time Kernel::end_beside_streams(int rank, const Rank& self, const Op& op, Time now) {
    const Time begin = std::max(self.clock, self.computes_free);
    const Duration work = price(last_compute_, rank, op);
    // Nearly always none of the streams is busy, or one.
    const Lane* busy = nullptr;
    for (const Lane& lane : self.lanes) {
        if (lane.busy_since || (!lane.busy.empty() && lane.busy.back().end > begin)) {
            if (busy != nullptr || lane.busy_since) {
                return stretched_end(begin, work, beside_streams_, busy_after(self.lanes, begin, now));
            }
            busy = &lane;
        }
    }
    return busy == nullptr ? later(begin, work) : stretched_end(begin, work, beside_streams_, busy->busy);
}

void Kernel::compute_beside_streams(int rank, Rank& self, const Op& op, std::uint32_t number, Time now) {
    const Time begin = std::max(self.clock, self.computes_free);
    const Time end = end_beside_streams(rank, self, op, now);
    self.computes_free = end;
    self.computing += end - self.clock;
    self.clock = end;
    forget_until_now(self);
    emit(rank, op, number, begin, end, Duration{0}, 0);
}

void Kernel::go_on_without_streams() {
    int first = -1;
    Time first_end;
    for (int rank = 0; rank < ranks(); ++rank) {
        const Rank& self = of(rank);
        if (self.status != Status::blocked || self.pending.kind != OpKind::compute) {
            continue;
        }
        const Time end = end_beside_streams(rank, self, self.pending, Time{});
        if (first < 0 || end < first_end) {
            first = rank;
            first_end = end;
        }
    }
    Rank& self = of(first);
    --postponed_;
    compute_beside_streams(first, self, self.pending, self.pending_number, Time{});
    unblock(first, self);
}

}  // namespace sim
