// A collective's time as a formula: schedules in lock step where every message costs the same, and rings.
#include "libsim/kernel/collective_ways.hpp"
#include "libsim/kernel/member_costs.hpp"
#include "libsim/kernel/ring_of.hpp"
#include "libsim/kernel/ring_reader.hpp"
#include "libsim/kernel/ring_time.hpp"
#include "libsim/kernel/routed_messages.hpp"

namespace sim {

namespace {

Found in_lock_step(const CollectiveQuestion& question, const LinkCosts& costs) {
    std::vector<MemberClock> members = member_clocks(question);
    read_time(question.schedule, costs, members);
    Found found{.ends = {},
                .why =
                    "every message costs the same, all members send and receive in each step, and each lateness "
                    "reaches everybody: the last arrival and the sum of the steps",
                .walked = {}};
    for (const MemberClock& member : members) {
        found.ends.push_back(member.time);
        found.walked.messages += member.messages;
        found.walked.chunks += member.chunks;
    }
    return found;
}

// The members of each channel's ring, in its order; empty where some channel goes around none.
std::vector<std::vector<int>> rings_of(const Schedule& schedule) {
    std::vector<std::vector<int>> rings;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        rings.push_back(ring_of(schedule, channel));
        if (rings.back().empty()) {
            return {};
        }
    }
    return rings;
}

// A member's channel has one message under way at a time, always on the same route.
bool are_private(const Topology& topology, const std::vector<std::vector<int>>& rings, Routes& routes) {
    std::vector<std::int64_t> asked(topology.links.size());
    for (std::size_t channel = 0; channel < rings.size(); ++channel) {
        const std::vector<int>& ring = rings[channel];
        for (std::size_t place = 0; place < ring.size(); ++place) {
            const int next = ring[place + 1 == ring.size() ? 0 : place + 1];
            const Routes::Route& route = routes.of({static_cast<int>(channel), ring[place], next, 1});
            for (const LinkId link : route.links) {
                const std::int64_t bandwidth = topology.links[link].bandwidth.bytes_per_second;
                asked[link] += route.cost.slowest.bytes_per_second;
                if (asked[link] > bandwidth) {
                    return false;
                }
            }
        }
    }
    return true;
}

Found found_around_rings(const CollectiveQuestion& question, const std::vector<Time>& ends) {
    const Schedule& schedule = question.schedule;
    const auto messages = std::int64_t{schedule.members} * schedule.steps * schedule.channels;
    return {
        last_of_channels(ends, schedule.members),
        "everybody sends to the same neighbour in each step, on links of its own: the longest path of each lateness "
        "around the ring",
        {messages, messages}};
}

std::vector<RingPlace> places_of(const std::vector<int>& ring, int channel, Bytes chunk, Routes& routes) {
    std::vector<RingPlace> places;
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const int next = ring[place + 1 == ring.size() ? 0 : place + 1];
        places.push_back({.send = routes.of({channel, ring[place], next, 1}).cost.of(chunk)});
    }
    return places;
}

// Nothing where links are shared, walking the steps is no more work, or time might leave its range.
std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology) {
    const Schedule& schedule = question.schedule;
    const auto rings = rings_of(schedule);
    Routes routes(topology, question);
    if (rings.empty() || !are_private(topology, rings, routes)) {
        return std::nullopt;
    }
    const Bytes chunk{chunk_of(question).amount};
    const std::vector<Time> arrivals = arrivals_of(question);
    std::vector<Time> ends(arrivals.size());
    for (std::size_t channel = 0; channel < rings.size(); ++channel) {
        const std::vector<int>& ring = rings[channel];
        const auto index = [&](int member) { return channel * ring.size() + static_cast<std::size_t>(member); };
        const std::vector<RingPlace> places = places_of(ring, static_cast<int>(channel), chunk, routes);
        std::vector<Time> begins;
        for (const int member : ring) {
            begins.push_back(arrivals[index(member)]);
        }
        const auto done =
            different_stays(places) <= schedule.steps ? ring_ends(places, begins, schedule.steps) : std::nullopt;
        if (!done) {
            return std::nullopt;
        }
        for (std::size_t place = 0; place < ring.size(); ++place) {
            ends[index(ring[place])] = (*done)[place];
        }
    }
    return found_around_rings(question, ends);
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

}  // namespace

std::optional<Found> by_closed_form(const CollectiveQuestion& question) {
    if (std::holds_alternative<LogGP>(question.cluster.network)) {
        return std::nullopt;
    }
    if (const auto* shared = std::get_if<FairShare>(&question.cluster.network)) {
        return around_routed_rings(question, *shared->topology);
    }
    const LinkCosts costs = link_costs(question);
    return question.schedule.lock_step && costs.uniform() ? in_lock_step(question, costs)
                                                          : around_rings(question, costs);
}

}  // namespace sim
