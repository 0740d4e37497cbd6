// The kernel's collectives by size alone: all members meet, and one evaluation gives everybody's end.
#include "libsim/collectives/readers/loggp_reader.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

bool Kernel::collective(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    const Board::Meeting* meeting = board_.arrive(rank, number, self.clock, op);
    block(self, op, number);
    if (shared_links_) {
        begin_walks(rank, self, op, number, self.clock);
    } else if (meeting != nullptr) {
        end_collective(*meeting, rank);
    }
    return self.status == Status::out;
}

Duration Kernel::message_price(const Board::Meeting& meeting, Size size, Hop over) const {
    try {
        return transfer_time(cluster_, size, over);
    } catch (const ProgramError& error) {
        throw_for_meeting(meeting, error.what());
    }
}

void Kernel::throw_for_meeting(const Board::Meeting& meeting, const char* what) const {
    // The group's first, not the first to come: who that was in wall time is nobody's business.
    const int rank = groups_->group(collective_word(meeting.op).group).rank_at(0);
    const Rank& first = of(rank);
    const bool on_main = meeting.op.stream == Stream::main;
    const Lane* const at = on_main ? nullptr : &first.lanes[static_cast<std::size_t>(meeting.op.stream) - 1];
    throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank,
                                   on_main ? first.pending_number : at->waiting.front().op_number, describe(meeting.op),
                                   describe_time(on_main ? first.clock : at->clock), what));
}

LinkCosts Kernel::link_costs(const Board::Meeting& meeting, const Group& group, Size each) const {
    std::vector<int> node;
    for (int index = 0; ranks_per_node_ > 0 && index < group.size(); ++index) {
        node.push_back(group.rank_at(index) / ranks_per_node_);
    }
    const auto price = [this, &meeting, each](Hop hop, int chunks) {
        Size size = each;
        if (__builtin_mul_overflow(each.amount, chunks, &size.amount)) {
            throw_count_overflow();
        }
        return message_price(meeting, size, hop);
    };
    return {price, acknowledgements_, std::move(node)};
}

void Kernel::end_collective(const Board::Meeting& meeting, int last_rank) {
    if (nccl_ != nullptr) {
        return end_collective_by_nccl(meeting, last_rank);
    }
    require_no_stand_in(meeting.op);
    const CollectiveWord word = collective_word(meeting.op);
    const Group& group = groups_->group(word.group);
    const int root = meeting.op.peer < 0 ? 0 : group.index_of(meeting.op.peer);
    const Schedule schedule = schedule_of(word.kind, method_of(meeting.op), group.size(), root);
    const Size each = ceil_div(Size{meeting.op.amount, meeting.op.measure}, schedule.chunks);

    const Stream stream = meeting.op.stream;
    std::vector<MemberClock> members(static_cast<std::size_t>(group.size()));
    for (int index = 0; index < group.size(); ++index) {
        Rank& member = of(group.rank_at(index));
        const bool on_main = stream == Stream::main;
        const Time time = on_main ? member.clock : lane(member, stream).clock;
        members[static_cast<std::size_t>(index)] = {.time = time, .sends_free = on_main ? member.sends_free : time};
    }
    if (loggp_ != nullptr) {
        read_by_loggp(meeting, schedule, each, members);
    } else {
        read_time(schedule, link_costs(meeting, group, each), members);
    }
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        const MemberClock& clock = members[static_cast<std::size_t>(index)];
        Rank& member = of(rank);
        member.messages += static_cast<std::uint32_t>(clock.messages);
        add_checked(each.measure == Measure::bytes ? member.bytes_sent : member.billionths_sent,
                    time_for(each.amount, {clock.chunks, 1}).count());
        if (stream == Stream::main) {
            end_collective_of(rank, member, clock, rank == last_rank);
        } else {
            end_collective_on(rank, stream, clock, rank == last_rank);
        }
    }
}

// A channel's messages are those of its stream, which has a processor and a card of its own.
void Kernel::read_by_loggp(const Board::Meeting& meeting, const Schedule& schedule, Size each,
                           std::vector<MemberClock>& members) {
    const Group& group = groups_->group(collective_word(meeting.op).group);
    require_bytes(group.rank_at(0), meeting.op, meeting.first_op_number, meeting.first_at);
    const std::vector<MemberClock> arrived = members;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        const Stream stream = channel == 0 ? meeting.op.stream : stream_of_channel(meeting.op.stream, channel);
        std::vector<MemberClock> clocks = arrived;
        for (int index = 0; index < group.size(); ++index) {
            Rank& member = of(group.rank_at(index));
            MemberClock& clock = clocks[static_cast<std::size_t>(index)];
            const bool on_main = stream == Stream::main;
            clock.sends_free = on_main ? member.sends_free : lane(member, stream).sends_free;
            clock.receives_free = on_main ? member.receives_free : lane(member, stream).receives_free;
        }
        read_channel_by_loggp(schedule, channel, cluster_, each, clocks);
        for (int index = 0; index < group.size(); ++index) {
            Rank& member = of(group.rank_at(index));
            const MemberClock& end = clocks[static_cast<std::size_t>(index)];
            MemberClock& all = members[static_cast<std::size_t>(index)];
            const bool on_main = stream == Stream::main;
            (on_main ? member.sends_free : lane(member, stream).sends_free) = end.sends_free;
            (on_main ? member.receives_free : lane(member, stream).receives_free) = end.receives_free;
            all.time = std::max(all.time, end.time);
            all.messages += end.messages;
            all.chunks += end.chunks;
            all.busy = std::max(all.busy, end.busy);
        }
    }
}

void Kernel::end_collective_of(int rank, Rank& member, const MemberClock& clock, bool is_last) {
    const Time begin = member.clock;
    // Sends that were under way may reach into the collective: never more than the time there is.
    const Duration busy = std::min(clock.busy, clock.time - begin);
    member.clock = clock.time;
    member.sends_free = std::max(member.sends_free, clock.sends_free);
    member.communicating += busy;
    member.idle_in_collectives += clock.time - begin - busy;
    if (on_span_) {
        emit(rank, member.pending, member.pending_number, begin, member.clock, member.clock - begin - busy, 0);
    }
    if (is_last) {
        member.status = Status::out;  // accept() goes on with it
    } else {
        unblock(rank, member);
    }
}

}  // namespace sim
