#include "libsim/kernel/features/collective_times.hpp"

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

CollectiveTimes::CollectiveTimes(const Prices& prices, const Groups& groups, const faults::Conditions& conditions)
    : prices_(&prices), groups_(&groups), conditions_(&conditions) {
    if (prices.cluster().network->prices_collectives()) {
        whole_prices_.emplace(prices.cluster(), groups);
    }
}

const WholePrice* CollectiveTimes::alone(const Op& collective) const {
    const WholePrice* const known = whole_prices_ ? whole_prices_->known(collective) : nullptr;
    return known != nullptr && known->alone ? known : nullptr;
}

// On networks that do not price collectives a collective is its messages, and absent ranks cannot send any.
Schedule CollectiveTimes::schedule_for(const Op& collective) const {
    const Group& group = group_of(collective);
    if (group.stands_for_another()) {
        throw ProgramError(
            fmt::format("rank {}: {}: its group of {} stands for one of {}, which only a network that prices "
                        "collectives as a whole (Nccl) can do",
                        group.rank_at(0), describe(collective), group.size(), group.whole().size()));
    }
    return schedule_of(collective, group);
}

void CollectiveTimes::throw_for(const Rendezvous::Meeting& meeting, const Ranks& ranks, const char* what) const {
    // The group's first rank, not the first to arrive: the order of arrival in wall time must not affect the result.
    const int rank = group_of(meeting.op).rank_at(0);
    const Stream on = meeting.stream_of(0);
    throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank, ranks[rank].in(on).number,
                                   describe(meeting.op), describe_time(ranks[rank].at(on).clock), what));
}

// `from` and `to` are indices in the group.
MessageEnd CollectiveTimes::disturbances(const Group& group) const {
    return [this, &group](int from, int to, Time begin, Duration work) {
        return conditions_->end_of_message(group.rank_at(from), group.rank_at(to), begin, work);
    };
}

LinkCosts CollectiveTimes::link_costs(const Rendezvous::Meeting& meeting, const Group& group, Size each,
                                      const Ranks& ranks) const {
    const NodeMap& nodes = prices_->nodes();
    std::vector<int> node;
    for (int index = 0; nodes.has_nodes() && index < group.size(); ++index) {
        node.push_back(nodes.node(group.rank_at(index)));
    }
    const auto price = [this, &meeting, &ranks, each](Hop hop, int chunks) {
        Size size = each;
        if (__builtin_mul_overflow(each.amount, chunks, &size.amount)) {
            throw_count_overflow();
        }
        try {
            return transfer_time(prices_->cluster(), size, hop);
        } catch (const ProgramError& error) {
            throw_for(meeting, ranks, error.what());
        }
    };
    LinkCosts costs(price, prices_->acknowledgements(), std::move(node));
    if (conditions_->change_messages()) {
        costs.disturb(disturbances(group));
    }
    return costs;
}

CollectiveEnds CollectiveTimes::ends(const Rendezvous::Meeting& meeting, Ranks& ranks) {
    const Group& group = group_of(meeting.op);
    if (whole_prices_) {
        return whole(meeting, group, ranks);
    }
    const Schedule schedule = schedule_for(meeting.op);
    // Every chunk is charged as the longest: in lock step nobody is faster than that, and the time does not depend on
    // which member holds which chunk.
    const Size each = ceil_div(Size{meeting.op.amount, meeting.op.measure}, schedule.chunks);
    std::vector<MemberClock> members(static_cast<std::size_t>(group.size()));
    for (int index = 0; index < group.size(); ++index) {
        const StreamState& state = ranks[group.rank_at(index)].at(meeting.stream_of(index));
        members[static_cast<std::size_t>(index)] = {.time = state.clock, .send_port_free = state.send_port_free};
    }
    if (prices_->cluster().network->times_ends()) {
        read_at_ends(meeting, schedule, each, ranks, members);
    } else {
        read_time(schedule, link_costs(meeting, group, each, ranks), members);
    }
    return {std::move(members), each.amount};
}

// Each channel runs on its own stream, with a processor and a network card of its own.
void CollectiveTimes::read_at_ends(const Rendezvous::Meeting& meeting, const Schedule& schedule, Size each,
                                   Ranks& ranks, std::vector<MemberClock>& members) const {
    const Group& group = group_of(meeting.op);
    const RankState& first = ranks[group.rank_at(0)];
    prices_->require_for_message(group.rank_at(0), meeting.op, first.in(meeting.stream_of(0)).number,
                                 first.at(meeting.stream_of(0)).clock);
    const std::vector<MemberClock> arrived = members;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        const auto state_of = [&](int index) -> StreamState& {
            const Stream on = meeting.stream_of(index);
            return ranks[group.rank_at(index)].at(channel == 0 ? on : stream_of_channel(on, channel));
        };
        std::vector<MemberClock> clocks = arrived;
        for (int index = 0; index < group.size(); ++index) {
            const StreamState& state = state_of(index);
            MemberClock& clock = clocks[static_cast<std::size_t>(index)];
            clock.send_port_free = state.send_port_free;
            clock.receive_port_free = state.receive_port_free;
        }
        read_channel_at_ends(schedule, channel, prices_->cluster(), each, clocks,
                             conditions_->change_messages() ? disturbances(group) : nullptr);
        for (int index = 0; index < group.size(); ++index) {
            StreamState& state = state_of(index);
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
CollectiveEnds CollectiveTimes::whole(const Rendezvous::Meeting& meeting, const Group& group, const Ranks& ranks) {
    const WholePrice* price = nullptr;
    try {
        price = &whole_prices_->of(meeting.op);
    } catch (const ProgramError& error) {
        throw_for(meeting, ranks, error.what());
    }
    const Time end = conditions_->change_messages()
                         ? conditions_->end_of_collective(group, meeting.last_at, price->price)
                         : later(meeting.last_at, price->price);
    return {{.time = end, .send_port_free = Time{}, .busy = end - meeting.last_at}, price->sent};
}

}  // namespace sim::kernel
