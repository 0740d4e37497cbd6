// The bidirectional ring has two channels, one clockwise and one counter-clockwise, each with half of every chunk.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth of each direction:
//   reduce-scatter, all-gather   (n-1) (L + ceil(S/(2n)) / B)
//   all-reduce                 2 (n-1) (L + ceil(S/(2n)) / B)
// Each member sends as much as in a ring, half of it each way; half the time of a ring if cables carry both directions
// at once and each neighbour has its own cable. c channels become 2c.
// Source: Jain & Sabharwal, Optimal bucket algorithms for large MPI collectives on torus interconnects, ICS (2010).
#include "libsim/collectives/schedules/schedules.hpp"

namespace sim::collectives {

namespace {

// Renames member i to n - i, which reverses directions; block i remains member i's.
int mirrored(int index, int members) {
    return (members - index) % members;
}

Step both_ways(const Schedule& ring, int channel, int member, int step) {
    const int n = ring.members;
    if (channel % 2 == 0) {
        return ring_step(ring.kind, n, member, step);
    }
    Step left = ring_step(ring.kind, n, mirrored(member, n), step);
    left.to = mirrored(left.to, n);
    left.send.first = mirrored(left.send.first, n);
    left.from = mirrored(left.from, n);
    left.receive.first = mirrored(left.receive.first, n);
    return left;
}

}  // namespace

Schedule bidirectional_ring_schedule(const ScheduleRequest& request) {
    const int rounds = request.kind == CollectiveKind::all_reduce ? 2 : 1;
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .steps = rounds * (request.members - 1),
                       .chunks = request.members,
                       .synchrony = Synchrony::ring,
                       .at = both_ways},
                      2 * request.config.channels);
}

}  // namespace sim::collectives
