#include "libsim/collectives/readers/time_reader.hpp"

#include "libsim/check.hpp"
#include "libsim/collectives/readers/ring_time.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

std::vector<RingPlace> places_of(const std::vector<int>& ring, const LinkCosts& costs) {
    std::vector<RingPlace> places(ring.size());
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const std::size_t next = place + 1 == ring.size() ? 0 : place + 1;
        const Hop hop = costs.hop(ring[place], ring[next]);
        places[place].send = costs.send(hop, 1);
        places[next].acknowledgement = costs.acknowledgement(hop);
    }
    return places;
}

}  // namespace

std::vector<int> ring_of(const Schedule& schedule, int channel) {
    if (schedule.synchrony != Synchrony::ring || schedule.steps == 0) {
        return {};
    }
    std::vector<int> order;
    int member = 0;
    for (int place = 0; place < schedule.members; ++place) {
        order.push_back(member);
        // Step 0 is enough: in a ring every step sends to the same neighbour.
        member = schedule.step(channel, member, 0).to;
    }
    check(member == 0, "a ring of {} members does not close", schedule.members);
    return order;
}

bool read_ring(const Schedule& schedule, int channel, const LinkCosts& costs, std::vector<MemberClock>& members) {
    const std::vector<int> ring = ring_of(schedule, channel);
    if (ring.empty()) {
        return false;
    }
    const std::vector<RingPlace> places = places_of(ring, costs);
    std::vector<Time> begins;
    for (const int index : ring) {
        const MemberClock& member = members[static_cast<std::size_t>(index)];
        begins.push_back(std::max(member.time, member.send_port_free));
    }
    // The closed form costs a pass over the ring for each different stay, and walking costs one for each step.
    if (different_stays(places) > schedule.steps) {
        return false;
    }
    // The last send begins at the end of the step before the last one; it gives the time at which the port is free
    // again.
    const auto before = ring_ends(places, begins, schedule.steps - 1);
    const auto ends = ring_ends(places, begins, schedule.steps);
    if (!before || !ends) {
        return false;
    }
    for (std::size_t place = 0; place < ring.size(); ++place) {
        MemberClock& member = members[static_cast<std::size_t>(ring[place])];
        const RingPlace& costs_here = places[place];
        member.time = (*ends)[place];
        member.send_port_free = later((*before)[place], costs_here.send);
        member.messages = schedule.steps;
        member.chunks = schedule.steps;
        member.busy = time_for(schedule.steps, {(costs_here.send + costs_here.acknowledgement).count(), 1});
    }
    return true;
}

}  // namespace sim::collectives
