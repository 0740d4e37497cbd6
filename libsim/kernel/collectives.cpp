// The kernel's collectives by size alone: all members meet, and one evaluation gives every member's end. The times come
// from the schedule, or from the network if it prices collectives as a whole.
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

// On networks that do not price collectives a collective is its messages, and absent ranks cannot send any.
Schedule Kernel::schedule_for(const Op& op) const {
    const Group& group = groups_->group(collective_word(op).group);
    if (group.stands_for_another()) {
        throw ProgramError(
            fmt::format("rank {}: {}: its group of {} stands for one of {}, which only a network that prices "
                        "collectives as a whole (Nccl) can do",
                        group.rank_at(0), describe(op), group.size(), group.whole().size()));
    }
    return schedule_of(op, group);
}

bool Kernel::collective(int rank, RankState& self, Stream on, NumberedOp at) {
    const Rendezvous::Meeting* const meeting =
        rendezvous_.arrive(rank, at.number, self.at(on).clock, at.op, at.payload);
    block(self, on, at);
    if (meeting != nullptr) {
        gather(*meeting);
    }
    if (links_ && !whole_prices_) {
        if (groups_->group(collective_word(at.op).group).communicator() != 0) {
            throw ProgramError(
                fmt::format("rank {}: {}: a communicator's collectives are one operation, which only a network "
                            "that prices collectives as a whole (Nccl) has where links are shared",
                            rank, describe(at.op)));
        }
        begin_walks(rank, self, on, at);
        return false;
    }
    if (meeting == nullptr) {
        return false;
    }
    if (loses(*meeting) || !has_ended(*meeting, rank)) {
        return false;
    }
    if (on == Stream::main) {
        self.status = Status::out;  // accept() goes on with it
    }
    return true;
}

// False: it has no price, or no possible schedule. That is a mistake of all members, and none goes on.
bool Kernel::has_ended(const Rendezvous::Meeting& meeting, int last_rank) {
    const int first = groups_->group(collective_word(meeting.op).group).rank_at(0);
    const NumberedOp at = of(first).in(meeting.stream_of(0));
    try {
        end_collective(meeting, last_rank);
        return true;
    } catch (const ProgramError&) {
        mistakes_.note({meeting.last_at, first, at.number}, std::current_exception());
        return false;
    }
}

void Kernel::throw_for_meeting(const Rendezvous::Meeting& meeting, const char* what) const {
    // The group's first rank, not the first to arrive: the order of arrival in wall time must not affect the result.
    const int rank = groups_->group(collective_word(meeting.op).group).rank_at(0);
    const Stream on = meeting.stream_of(0);
    throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank, of(rank).in(on).number, describe(meeting.op),
                                   describe_time(of(rank).at(on).clock), what));
}

// `from` and `to` are indices in the group.
MessageEnd Kernel::disturbances(const Group& group) const {
    return [this, &group](int from, int to, Time begin, Duration work) {
        return conditions_.end_of_message(group.rank_at(from), group.rank_at(to), begin, work);
    };
}

LinkCosts Kernel::link_costs(const Rendezvous::Meeting& meeting, const Group& group, Size each) const {
    const NodeMap& nodes = prices_.nodes();
    std::vector<int> node;
    for (int index = 0; nodes.has_nodes() && index < group.size(); ++index) {
        node.push_back(nodes.node(group.rank_at(index)));
    }
    const auto price = [this, &meeting, each](Hop hop, int chunks) {
        Size size = each;
        if (__builtin_mul_overflow(each.amount, chunks, &size.amount)) {
            throw_count_overflow();
        }
        try {
            return transfer_time(cluster_, size, hop);
        } catch (const ProgramError& error) {
            throw_for_meeting(meeting, error.what());
        }
    };
    LinkCosts costs(price, prices_.acknowledgements(), std::move(node));
    if (conditions_.change_messages()) {
        costs.disturb(disturbances(group));
    }
    return costs;
}

void Kernel::end_collective(const Rendezvous::Meeting& meeting, int last_rank) {
    if (whole_prices_) {
        return end_as_a_whole(meeting, last_rank);
    }
    const Schedule schedule = schedule_for(meeting.op);
    const Group& group = groups_->group(collective_word(meeting.op).group);
    const Size each = ceil_div(Size{meeting.op.amount, meeting.op.measure}, schedule.chunks);
    std::vector<MemberClock> members(static_cast<std::size_t>(group.size()));
    for (int index = 0; index < group.size(); ++index) {
        const StreamState& state = of(group.rank_at(index)).at(meeting.stream_of(index));
        members[static_cast<std::size_t>(index)] = {.time = state.clock, .send_port_free = state.send_port_free};
    }
    if (times_ends_) {
        read_at_ends(meeting, schedule, each, members);
    } else {
        read_time(schedule, link_costs(meeting, group, each), members);
    }
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        const MemberClock& clock = members[static_cast<std::size_t>(index)];
        RankState& member = of(rank);
        member.messages += static_cast<std::uint32_t>(clock.messages);
        add_checked(member.sent(each.measure), time_for(each.amount, {clock.chunks, 1}).count());
        end_of_member(rank, meeting.stream_of(index), clock, rank == last_rank);
    }
}

// Each channel runs on its own stream, with a processor and a network card of its own.
void Kernel::read_at_ends(const Rendezvous::Meeting& meeting, const Schedule& schedule, Size each,
                          std::vector<MemberClock>& members) {
    const Group& group = groups_->group(collective_word(meeting.op).group);
    const RankState& first = of(group.rank_at(0));
    prices_.require_for_message(group.rank_at(0), meeting.op, first.in(meeting.stream_of(0)).number,
                                first.at(meeting.stream_of(0)).clock);
    const std::vector<MemberClock> arrived = members;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        const auto stream_of = [&meeting, channel](int index) {
            const Stream on = meeting.stream_of(index);
            return channel == 0 ? on : stream_of_channel(on, channel);
        };
        std::vector<MemberClock> clocks = arrived;
        for (int index = 0; index < group.size(); ++index) {
            const StreamState& state = of(group.rank_at(index)).at(stream_of(index));
            MemberClock& clock = clocks[static_cast<std::size_t>(index)];
            clock.send_port_free = state.send_port_free;
            clock.receive_port_free = state.receive_port_free;
        }
        read_channel_at_ends(schedule, channel, cluster_, each, clocks,
                             conditions_.change_messages() ? disturbances(group) : nullptr);
        for (int index = 0; index < group.size(); ++index) {
            StreamState& state = of(group.rank_at(index)).at(stream_of(index));
            const MemberClock& end = clocks[static_cast<std::size_t>(index)];
            MemberClock& all = members[static_cast<std::size_t>(index)];
            state.send_port_free = end.send_port_free;
            state.receive_port_free = end.receive_port_free;
            all.time = std::max(all.time, end.time);
            all.messages += end.messages;
            all.chunks += end.chunks;
            all.busy = std::max(all.busy, end.busy);
        }
    }
}

// One duration for all members from the last arrival on; waiting until then is idle time.
void Kernel::end_as_a_whole(const Rendezvous::Meeting& meeting, int last_rank) {
    const Group& group = groups_->group(collective_word(meeting.op).group);
    WholePrice whole;
    try {
        whole = whole_prices_->of(meeting.op);
    } catch (const ProgramError& error) {
        throw_for_meeting(meeting, error.what());
    }
    const Time end = conditions_.change_messages() ? conditions_.end_of_collective(group, meeting.last_at, whole.price)
                                                   : later(meeting.last_at, whole.price);
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        add_checked(of(rank).sent(meeting.op.measure), whole.sent);
        end_of_member(rank, meeting.stream_of(index),
                      {.time = end, .send_port_free = Time{}, .busy = end - meeting.last_at}, rank == last_rank);
    }
}

// Ends one member's part of a collective. The caller continues the last member to arrive.
void Kernel::end_of_member(int rank, Stream on, const MemberClock& clock, bool is_last) {
    RankState& self = of(rank);
    StreamState& state = self.at(on);
    const Time begin = state.clock;
    // Earlier sends may reach into the collective, so busy time is capped at the collective's own time.
    const Duration idle = clock.time - begin - std::min(clock.busy, clock.time - begin);
    if (on_span_) {
        const NumberedOp in = self.in(on);
        emit(rank, in.op, in.number, begin, clock.time, idle, 0);
    }
    self.spend(on, {.idle = idle, .end = clock.time, .in_collective = true, .busy_is_noted = links_.has_value()});
    state.send_port_free = std::max(state.send_port_free, clock.send_port_free);
    if (!is_last) {
        resume(rank, self, on);
    }
}

}  // namespace sim::kernel
