// This file computes a collective's time as a formula, for lock-step schedules with equal message costs and for rings.
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/time/collective_ways.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

Found in_lock_step(const CollectiveQuestion& question, const LinkCosts& costs) {
    std::vector<MemberClock> members = member_clocks(question);
    read_time(question.schedule, costs, members);
    Found found{.ends = {},
                .why =
                    "every message costs the same, all members send and receive in each step, and each delay "
                    "reaches every member: the last arrival plus the sum of the steps",
                .walked = {}};
    for (const MemberClock& member : members) {
        found.ends.push_back(member.time);
        found.walked.messages += member.messages;
        found.walked.chunks += member.chunks;
    }
    return found;
}

std::optional<Found> around_rings(const CollectiveQuestion& question, const LinkCosts& costs) {
    std::vector<Time> ends;
    for (int channel = 0; channel < question.schedule.channels; ++channel) {
        std::vector<MemberClock> members = member_clocks(question);
        if (!read_ring(question.schedule, channel, costs, members)) {
            return std::nullopt;
        }
        for (const MemberClock& member : members) {
            ends.push_back(member.time);
        }
    }
    return found_around_rings(question, ends);
}

Found as_a_whole(const CollectiveQuestion& question) {
    const std::int64_t bytes = bytes_of(question.cluster, question.size);
    const Footprint at =
        footprint_of(Group::of({question.ranks.begin(), question.ranks.end()}), ranks_per_node(question.cluster));
    Time last{};
    for (const Time arrival : question.arrivals) {
        last = std::max(last, arrival);
    }
    const Time end = later(last, question.cluster.network->collective_time(question.schedule.kind, bytes, at));
    return {.ends = std::vector<Time>(question.ranks.size(), end),
            .why = "this network prices a collective as a whole, from the last arrival on",
            .walked = {}};
}

}  // namespace

std::optional<Found> by_closed_form(const CollectiveQuestion& question) {
    const Network& network = question.cluster.network;
    if (network->prices_collectives()) {
        return as_a_whole(question);
    }
    if (network->times_ends()) {
        return std::nullopt;
    }
    if (const auto topology = network->shared_topology()) {
        return around_routed_rings(question, *topology);
    }
    const LinkCosts costs = link_costs(question);
    return question.schedule.in_lock_step() && costs.uniform() ? in_lock_step(question, costs)
                                                               : around_rings(question, costs);
}

}  // namespace sim::collectives
