// In a ring every member communicates only with its two neighbours, and every link carries the same load in every step.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth:
//   reduce-scatter, all-gather   (n-1) (L + ceil(S/n) / B)
//   all-reduce                 2 (n-1) (L + ceil(S/n) / B)
//   broadcast, reduce          2 (n-1) (L + ceil(S/n) / B) for n >= 3: n chunks flow down a chain of n-1 links
// In k pieces instead of n, a broadcast or reduce takes (n-2+k) (L + ceil(S/k) / B), for n >= 3 and k >= 2.
// With c channels, each with its c-th of every chunk, ceil(S/n) becomes ceil(S/(n c)). With `inner` = k ranks per node,
// each of k channels leaves a node through a different GPU (ring_order.hpp): if these have their own network cards,
// that is k times the bandwidth between nodes. Steps, messages and bytes are the same. Each member sends (n-1)/n S, or
// 2 (n-1)/n S, the minimum for an all-reduce. In a broadcast or reduce every member of the chain except the last sends
// S.
// Source: Patarasuk & Yuan, JPDC 69 (2009).
#include "libsim/collectives/schedules/schedules.hpp"

#include "libsim/collectives/schedules/ring_order.hpp"

namespace sim::collectives {

namespace {

int modulo(int index, int members) {
    return ((index % members) + members) % members;
}

// Chunk i starts at member i+1 and collects one contribution per step, so it is complete when it reaches member i.
Step ring_reduce_step(const Schedule& ring, int /*channel*/, int member, int step) {
    const int n = ring.members;
    return {.to = modulo(member + 1, n),
            .send = {modulo(member - 1 - step, n)},
            .from = modulo(member - 1, n),
            .receive = {modulo(member - 2 - step, n)},
            .reduce = true};
}

Step ring_gather_step(const Schedule& ring, int /*channel*/, int member, int step) {
    const int n = ring.members;
    return {.to = modulo(member + 1, n),
            .send = {modulo(member - step, n)},
            .from = modulo(member - 1, n),
            .receive = {modulo(member - 1 - step, n)}};
}

Step ring_all_reduce_step(const Schedule& ring, int channel, int member, int step) {
    const int half = ring.members - 1;
    return step < half ? ring_reduce_step(ring, channel, member, step)
                       : ring_gather_step(ring, channel, member, step - half);
}

RingOrder order_of(const Schedule& ring, int channel) {
    return {ring.members, ring.config.inner, channel};
}

// A ring in the channel's own order: the member at place p plays member p of the plain ring, and block p is its own.
Step over_nodes(const Schedule& ring, int channel, int member, int number) {
    const RingOrder order = order_of(ring, channel);
    Step step = ring_step(ring.kind, ring.members, order.place_of(member), number);
    for (int* const place : {&step.to, &step.send.first, &step.from, &step.receive.first}) {
        *place = order.member_at(*place);
    }
    return step;
}

// The member at distance d from the chain's first gets chunk k in step d-1+k and passes it on in the next step.
Step chain_step(const Schedule& chain, const RingOrder& order, int first, int member, int step) {
    const int n = chain.members;
    const int place = order.place_of(member);
    const int distance = modulo(place - first, n);
    const int out = step - distance;
    const int in = out + 1;
    Step result;
    if (distance < n - 1 && out >= 0 && out < chain.blocks()) {
        result.to = order.member_at(modulo(place + 1, n));
        result.send = {out};
    }
    if (distance > 0 && in >= 0 && in < chain.blocks()) {
        result.from = order.member_at(modulo(place - 1, n));
        result.receive = {in};
    }
    return result;
}

Step ring_broadcast_step(const Schedule& chain, int channel, int member, int step) {
    const RingOrder order = order_of(chain, channel);
    return chain_step(chain, order, order.place_of(chain.root), member, step);
}

// Ends at the root, so it starts at the root's right neighbour.
Step chain_reduce_step(const Schedule& chain, int channel, int member, int step) {
    const RingOrder order = order_of(chain, channel);
    Step result = chain_step(chain, order, order.place_of(chain.root) + 1, member, step);
    result.reduce = true;
    return result;
}

Schedule chain(const ScheduleRequest& request, Step (*at)(const Schedule&, int, int, int)) {
    const int pieces = request.config.pieces > 0 ? request.config.pieces : request.members;
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .root = request.root,
                       .config = request.config,
                       .steps = request.members == 1 ? 0 : request.members - 2 + pieces,
                       .chunks = pieces,
                       .at = at},
                      request.config.channels);
}

Schedule ring_around(const ScheduleRequest& request, int rounds, Step (*at)(const Schedule&, int, int, int)) {
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .config = request.config,
                       .steps = rounds * (request.members - 1),
                       .chunks = request.members,
                       .synchrony = Synchrony::ring,
                       .at = request.config.inner == 0 ? at : over_nodes},
                      request.config.channels);
}

}  // namespace

Schedule ring_schedule(const ScheduleRequest& request) {
    switch (request.kind) {
        case CollectiveKind::broadcast: return chain(request, ring_broadcast_step);
        case CollectiveKind::reduce: return chain(request, chain_reduce_step);
        case CollectiveKind::all_gather: return ring_around(request, 1, ring_gather_step);
        case CollectiveKind::reduce_scatter: return ring_around(request, 1, ring_reduce_step);
        default: return ring_around(request, 2, ring_all_reduce_step);
    }
}

Step ring_step(CollectiveKind kind, int members, int member, int step) {
    const bool reduces =
        kind == CollectiveKind::reduce_scatter || (kind == CollectiveKind::all_reduce && step < members - 1);
    const Schedule of{.members = members};
    return reduces ? ring_reduce_step(of, 0, member, step)
                   : ring_gather_step(of, 0, member, kind == CollectiveKind::all_reduce ? step - (members - 1) : step);
}

}  // namespace sim::collectives
