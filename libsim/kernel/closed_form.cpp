// A collective's time as a formula: schedules in lock step where every message costs the same, and rings.
#include "libsim/kernel/collective_ways.hpp"
#include "libsim/kernel/member_costs.hpp"
#include "libsim/kernel/ring_of.hpp"
#include "libsim/kernel/ring_time.hpp"
#include "libsim/kernel/routed_messages.hpp"

#include <algorithm>

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

// `cost` of a message.
template <class Cost>
std::vector<RingPlace> places_of(const std::vector<int>& ring, int channel, Cost cost) {
    std::vector<RingPlace> places(ring.size());
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const std::size_t next = place + 1 == ring.size() ? 0 : place + 1;
        const StepCost step = cost(ChannelMessage{channel, ring[place], ring[next], 1});
        places[place].send = step.send;
        places[next].acknowledgement = step.acknowledgement;
    }
    return places;
}

// Nothing where walking the steps is no more work, or time might leave its range.
template <class Cost>
std::optional<Found> around_rings(const CollectiveQuestion& question, const std::vector<std::vector<int>>& rings,
                                  Cost cost) {
    const Schedule& schedule = question.schedule;
    const std::vector<Time> arrivals = arrivals_of(question);
    std::vector<Time> ends(arrivals.size());
    for (std::size_t channel = 0; channel < rings.size(); ++channel) {
        const std::vector<int>& ring = rings[channel];
        const std::size_t first = channel * ring.size();
        const auto index = [&](int member) { return first + static_cast<std::size_t>(member); };
        const std::vector<RingPlace> places = places_of(ring, static_cast<int>(channel), cost);
        std::vector<Time> by_place;
        for (const int member : ring) {
            by_place.push_back(arrivals[index(member)]);
        }
        const auto done = different_stays(places) <= std::max(schedule.steps, 1)
                              ? ring_ends(places, by_place, schedule.steps)
                              : std::nullopt;
        if (!done) {
            return std::nullopt;
        }
        for (std::size_t place = 0; place < ring.size(); ++place) {
            ends[index(ring[place])] = (*done)[place];
        }
    }
    const auto messages = std::int64_t{schedule.members} * schedule.steps * schedule.channels;
    return Found{last_of_channels(ends, schedule.members),
                 "everybody sends to the same neighbour in each step, on links of its own: the longest path of each "
                 "lateness around the ring",
                 {messages, messages}};
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

std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology) {
    const auto rings = rings_of(question.schedule);
    Routes routes(topology, question);
    if (rings.empty() || !are_private(topology, rings, routes)) {
        return std::nullopt;
    }
    const Bytes chunk{chunk_of(question).amount};
    return around_rings(question, rings, [&](const ChannelMessage& message) {
        return StepCost{routes.of(message).cost.of(chunk), Duration{0}};
    });
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
    if (question.schedule.lock_step && costs.uniform()) {
        return in_lock_step(question, costs);
    }
    const auto rings = rings_of(question.schedule);
    if (rings.empty()) {
        return std::nullopt;
    }
    return around_rings(question, rings, [&](const ChannelMessage& message) {
        const Hop hop = costs.hop(message.from, message.to);
        return StepCost{costs.send(hop, 1), costs.acknowledgement(hop)};
    });
}

}  // namespace sim
