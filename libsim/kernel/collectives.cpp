// The kernel's collectives by size alone: all members meet, and one evaluation gives everybody's end.
#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/time_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

bool Kernel::collective(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    const Board::Meeting* meeting = board_.arrive(rank, number, self.clock, op);
    block(self, op, number);
    if (meeting != nullptr) {
        end_collective(*meeting, rank);
    }
    return self.status == Status::out;
}

Duration Kernel::chunk_price(const Board::Meeting& meeting, Size each) const {
    try {
        return transfer_time(cluster_, each);
    } catch (const ProgramError& error) {
        const int rank = groups_->group(collective_word(meeting.op).group).rank_at(0);
        throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank, of(rank).pending_number,
                                       describe(meeting.op), describe_time(of(rank).clock), error.what()));
    }
}

void Kernel::end_collective(const Board::Meeting& meeting, int last_rank) {
    const CollectiveWord word = collective_word(meeting.op);
    const Group& group = groups_->group(word.group);
    const int root = meeting.op.peer < 0 ? 0 : group.index_of(meeting.op.peer);
    const Schedule schedule = schedule_of(word.kind, word.algorithm, group.size(), root);
    const Size each = ceil_div(Size{meeting.op.amount, meeting.op.measure}, schedule.chunks);
    const StepCost cost{.send = chunk_price(meeting, each), .acknowledgement = acknowledgement_};

    std::vector<MemberClock> members(static_cast<std::size_t>(group.size()));
    for (int index = 0; index < group.size(); ++index) {
        const Rank& member = of(group.rank_at(index));
        members[static_cast<std::size_t>(index)] = {.time = member.clock, .sends_free = member.sends_free};
    }
    read_time(schedule, cost, members);
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        const MemberClock& clock = members[static_cast<std::size_t>(index)];
        Rank& member = of(rank);
        const Time begin = member.clock;
        // Sends that were under way may reach into the collective: never more than the time there is.
        const Duration busy = std::min(clock.busy, clock.time - begin);
        member.clock = clock.time;
        member.sends_free = std::max(member.sends_free, clock.sends_free);
        member.communicating += busy;
        member.messages += static_cast<std::uint32_t>(clock.messages);
        add_checked(each.measure == Measure::bytes ? member.bytes_sent : member.billionths_sent,
                    time_for(each.amount, {clock.messages, 1}).count());
        if (on_span_) {
            emit(rank, member.pending, member.pending_number, begin, member.clock, member.clock - begin - busy, 0);
        }
        if (rank == last_rank) {
            member.status = Status::out;  // accept() goes on with it
        } else {
            unblock(rank, member);
        }
    }
}

}  // namespace sim
