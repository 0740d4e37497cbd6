// This closed form gives the times at which the members of rings on shared links finish, from two bounds that meet.
//
// No message takes less than it takes alone. None takes more than at the share that max-min fairness always grants it:
// the smallest, over those links of its route whose demand can exceed their bandwidth, of bandwidth / messages that
// ever use the link, one for each member and channel that sends over it. A ring's members end no earlier if its
// messages take longer, so its times with the lowest costs and with the highest (ring_time.hpp) enclose the true ones.
// If both are equal, that is the time: always if no link is overloaded, and also if some are, as long as other members
// delay the ring more.
// Cost: that of ring_time.hpp, twice for each channel, and O(members) routes.
// Source of the share: Bertsekas & Gallager, Data Networks (1992), section 6.5.2: each flow has a bottleneck link, on
// which no other flow gets more.
#include "libsim/collectives/time/collective_ways.hpp"

#include "libsim/collectives/readers/ring_time.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/time/routed_messages.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

using Ring = std::vector<int>;

// The members of each channel's ring, in ring order; empty if some channel does not form one.
std::vector<Ring> rings_of(const Schedule& schedule) {
    std::vector<Ring> rings;
    for (int channel = 0; channel < schedule.channels; ++channel) {
        rings.push_back(ring_of(schedule, channel));
        if (rings.back().empty()) {
            return {};
        }
    }
    return rings;
}

// Calls visit(channel, place, route) for the route from each place to the next.
template <class Visit>
void for_each_route(const std::vector<Ring>& rings, Routes& routes, Visit visit) {
    for (std::size_t channel = 0; channel < rings.size(); ++channel) {
        const Ring& ring = rings[channel];
        for (std::size_t place = 0; place < ring.size(); ++place) {
            const int next = ring[place + 1 == ring.size() ? 0 : place + 1];
            visit(channel, place, routes.of({static_cast<int>(channel), ring[place], next, 1}));
        }
    }
}

// The demand that a link may face at once: a member's channel has one message in flight at a time, always on the same
// route.
struct Asked {
    std::int64_t bandwidth = 0;
    std::int64_t messages = 0;
};

// The costs of all places of a channel's ring.
struct Costs {
    std::vector<RingPlace> least;
    std::vector<RingPlace> most;
};

RouteCost at_its_share(const Topology& topology, const Routes::Route& route, const std::vector<Asked>& asked) {
    RouteCost cost = route.cost;
    for (const LinkId id : route.links) {
        const std::int64_t bandwidth = topology.links[id].bandwidth.bytes_per_second;
        if (asked[id].bandwidth > bandwidth) {
            const std::int64_t share = std::max<std::int64_t>(bandwidth / asked[id].messages, 1);
            cost.slowest.bytes_per_second = std::min(cost.slowest.bytes_per_second, share);
        }
    }
    return cost;
}

std::vector<Costs> costs_of(const std::vector<Ring>& rings, Routes& routes, const Topology& topology, Bytes chunk) {
    std::vector<Asked> asked(topology.links.size());
    for_each_route(rings, routes, [&](std::size_t, std::size_t, const Routes::Route& route) {
        for (const LinkId id : route.links) {
            asked[id].bandwidth += route.cost.slowest.bytes_per_second;
            ++asked[id].messages;
        }
    });
    std::vector<Costs> costs(rings.size());
    for_each_route(rings, routes, [&](std::size_t channel, std::size_t, const Routes::Route& route) {
        const Duration least = route.cost.of(chunk);
        const RouteCost shared = at_its_share(topology, route, asked);
        const bool alone = shared.slowest.bytes_per_second == route.cost.slowest.bytes_per_second;
        // A flow that others slow down ends at the next picosecond.
        const Duration most = alone ? least : shared.of(chunk) + Duration{1};
        costs[channel].least.push_back({.send = least});
        costs[channel].most.push_back({.send = most});
    });
    return costs;
}

class EndsOfRings {
public:
    EndsOfRings(const CollectiveQuestion& question, const std::vector<Ring>& rings)
        : steps_(question.schedule.steps), rings_(rings), arrivals_(arrivals_of(question)), ends_(arrivals_.size()) {}

    // Includes the ends of one channel. False: there are none.
    bool take(std::size_t channel, const std::vector<RingPlace>& places) {
        const Ring& ring = rings_[channel];
        const auto index = [&](int member) { return channel * ring.size() + static_cast<std::size_t>(member); };
        std::vector<Time> begins;
        for (const int member : ring) {
            begins.push_back(arrivals_[index(member)]);
        }
        const auto done = different_stays(places) <= steps_ ? ring_ends(places, begins, steps_) : std::nullopt;
        for (std::size_t place = 0; done && place < ring.size(); ++place) {
            ends_[index(ring[place])] = (*done)[place];
        }
        return done.has_value();
    }
    const std::vector<Time>& ends() const { return ends_; }

private:
    int steps_;
    const std::vector<Ring>& rings_;
    std::vector<Time> arrivals_;
    std::vector<Time> ends_;  // by channel and member
};

Time last_of(const std::vector<Time>& ends) {
    return *std::max_element(ends.begin(), ends.end());
}

}  // namespace

Found found_around_rings(const CollectiveQuestion& question, const std::vector<Time>& ends) {
    const Schedule& schedule = question.schedule;
    const auto messages = std::int64_t{schedule.members} * schedule.steps * schedule.channels;
    return {last_of_channels(ends, schedule.members),
            "everybody sends to the same neighbour in each step, on links of its own: the longest path of each delay "
            "around the ring",
            {messages, messages}};
}

std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology) {
    const std::vector<Ring> rings = rings_of(question.schedule);
    if (rings.empty()) {
        return std::nullopt;
    }
    Routes routes(topology, question);
    const std::vector<Costs> costs = costs_of(rings, routes, topology, bytes_of_message(question, 1));
    EndsOfRings earliest(question, rings);
    EndsOfRings latest(question, rings);
    for (std::size_t channel = 0; channel < rings.size(); ++channel) {
        if (!earliest.take(channel, costs[channel].least) || !latest.take(channel, costs[channel].most)) {
            return std::nullopt;
        }
    }
    Found found = found_around_rings(question, latest.ends());
    if (earliest.ends() == latest.ends()) {
        return found;
    }
    const std::vector<Time> least = last_of_channels(earliest.ends(), question.schedule.members);
    if (least != found.ends && !(question.only_last && last_of(least) == last_of(found.ends))) {
        return std::nullopt;
    }
    found.why =
        "everybody sends to the same neighbour in each step; links are shared, but even at the smallest share that a "
        "message can get, the ring waits for members with links of their own";
    return found;
}

}  // namespace sim::collectives
