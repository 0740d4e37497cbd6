// Collectives by size alone: all members meet, and one evaluation gives every member's end, or each walks along the
// schedule on shared links. Data beside them is exchanged once all have come.
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

bool Kernel::collective(int rank, RankState& self, Stream on, NumberedOp at) {
    const Rendezvous::Meeting* const meeting =
        rendezvous_.arrive(rank, at.number, self.at(on).clock, at.op, at.payload);
    // Blocked even if it is the last to come: the ends are computed from the op that each member is blocked in.
    self.block(on, at);
    if (meeting != nullptr && !meeting->brought.empty()) {
        for (const int served : beside_.gather(*meeting, members_of(at.op), ranks_)) {
            unblock(served, ranks_[served]);
        }
    }
    if (links_ && !collective_times_.as_a_whole()) {
        if (members_of(at.op).communicator() != 0) {
            throw ProgramError(
                fmt::format("rank {}: {}: a communicator's collectives are one operation, which only a network "
                            "that prices collectives as a whole (Nccl) has where links are shared",
                            rank, describe(at.op)));
        }
        end_of_walk(walks_->begin(rank, on, at, collective_times_.schedule_for(at.op)));
        return false;
    }
    // A lost collective leaves all of its members blocked.
    if (meeting == nullptr || losses_.lose(members_of(at.op), meeting->last_at)) {
        return false;
    }
    try {
        end_collective(*meeting, rank);
    } catch (const ProgramError&) {
        // It has no price, or no possible schedule. That is a mistake of all members, and none goes on.
        const int first = members_of(at.op).rank_at(0);
        const NumberedOp op = ranks_[first].in(meeting->stream_of(0));
        mistakes_.note({meeting->last_at, first, op.number}, std::current_exception());
        return false;
    }
    if (on == Stream::main) {
        self.status = Status::out;  // accept() goes on with it
    }
    return true;
}

// The program takes the data of a collective. False: it waits until all members have brought theirs.
bool Kernel::take_data(int rank, RankState& self, const Op& op) {
    self.delivery = {};
    if (!beside_.take(rank, op.amount, self.program.clock)) {
        self.block(op, self.op_number);
        return false;
    }
    return true;
}

void Kernel::end_collective(const Rendezvous::Meeting& meeting, int last_rank) {
    const CollectiveEnds ends = collective_times_.ends(meeting, ranks_);
    const Group& group = members_of(meeting.op);
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        RankState& member = ranks_[rank];
        const MemberClock& clock = ends.clock(index);
        member.messages += static_cast<std::uint32_t>(clock.messages);
        add_checked(member.sent(meeting.op.measure), ends.sent(index));
        end_of_member(rank, meeting.stream_of(index), clock, rank == last_rank);
    }
}

// Ends one member's part of a collective. The caller continues the last member to arrive.
void Kernel::end_of_member(int rank, Stream on, const MemberClock& clock, bool is_last) {
    RankState& self = ranks_[rank];
    StreamState& state = self.at(on);
    const Time begin = state.clock;
    // Earlier sends may reach into the collective, so busy time is capped at the collective's own time.
    const Duration idle = clock.time - begin - std::min(clock.busy, clock.time - begin);
    if (spans_) {
        spans_.write(rank, self.in(on), begin, clock.time, idle);
    }
    self.spend(on, {.idle = idle, .end = clock.time, .in_collective = true, .busy_is_noted = links_.has_value()});
    state.send_port_free = std::max(state.send_port_free, clock.send_port_free);
    if (!is_last) {
        resume(rank, self, on);
    }
}

void Kernel::end_of_walk(const std::optional<Walks::MemberEnd>& end) {
    if (end) {
        end_of_member(end->rank, end->on, end->clock, false);
    }
}

}  // namespace sim::kernel
