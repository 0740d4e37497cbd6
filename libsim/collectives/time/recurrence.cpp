// This file computes a collective's time step by step, as if each message were alone.
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/collectives/time/routed_messages.hpp"

namespace sim::collectives {

namespace {

void count(Found& found, const std::vector<MemberClock>& members) {
    for (const MemberClock& member : members) {
        found.walked.messages += member.messages;
        found.walked.chunks += member.chunks;
    }
}

Found on_uniform_links(const CollectiveQuestion& question) {
    std::vector<MemberClock> members = member_clocks(question);
    read_time(question.schedule, link_costs(question), members, Reading::always_step_by_step);
    Found found{.ends = {},
                .why =
                    "no two messages share a link on this network, so each member's clock follows from its own and "
                    "its senders'",
                .walked = {}};
    for (const MemberClock& member : members) {
        found.ends.push_back(member.time);
    }
    count(found, members);
    return found;
}

Found at_both_ends(const CollectiveQuestion& question) {
    Found found{.ends = {},
                .why =
                    "under LogGP messages share nothing but the processor and card of their two ends, which a step's "
                    "clocks hold",
                .walked = {}};
    std::vector<Time> ends;
    for (int channel = 0; channel < question.schedule.channels; ++channel) {
        std::vector<MemberClock> members = member_clocks(question);
        read_channel_at_ends(question.schedule, channel, question.cluster, chunk_of(question), members);
        for (const MemberClock& member : members) {
            ends.push_back(member.time);
        }
        count(found, members);
    }
    found.ends = last_of_channels(ends, question.schedule.members);
    return found;
}

// Walks all channels step by step. Empty if the messages of some step disturb each other.
std::optional<Found> on_routes(const CollectiveQuestion& question, const Topology& topology) {
    const Schedule& schedule = question.schedule;
    RoutedMessages messages(topology, question);
    std::vector<ChannelWalk<RoutedMessages>> channels;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        channels.emplace_back(schedule, channel, messages);
    }
    std::vector<Time> clocks = arrivals_of(question);
    for (int number = 0; number < schedule.steps; ++number) {
        Time* first = clocks.data();
        for (ChannelWalk<RoutedMessages>& channel : channels) {
            channel.step(number, first);
            first += schedule.members;
        }
        // Nothing can be repaired: a message that was slowed down changes every clock that follows from it.
        if (!messages.holds()) {
            return std::nullopt;
        }
        // Later messages begin no earlier than the earliest clock, so what links carried before it can be forgotten.
        messages.step_ends(clocks);
    }
    Found found{last_of_channels(clocks, schedule.members),
                "at no instant did the messages in flight exceed a link's bandwidth, so each had its "
                "whole route to itself",
                {}};
    for (const ChannelWalk<RoutedMessages>& channel : channels) {
        found.walked.messages += channel.walked().messages;
        found.walked.chunks += channel.walked().chunks;
    }
    return found;
}

}  // namespace

std::optional<Found> by_recurrence(const CollectiveQuestion& question) {
    const Network& network = question.cluster.network;
    if (network->prices_collectives()) {
        return std::nullopt;  // there are no steps
    }
    if (network->times_ends()) {
        return at_both_ends(question);
    }
    if (const auto topology = network->shared_topology()) {
        return on_routes(question, *topology);
    }
    return on_uniform_links(question);
}

}  // namespace sim::collectives
