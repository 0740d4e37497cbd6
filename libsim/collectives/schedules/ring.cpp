#include "libsim/collectives/schedules/ring.hpp"

#include "libsim/collectives/schedules/ring_order.hpp"

namespace sim {

namespace {

int around(int index, int members) {
    return ((index % members) + members) % members;
}

// Chunk i starts at member i+1 and collects one contribution a step, so that it is whole when it reaches member i.
Step reduce_step(const Schedule& ring, int /*channel*/, int member, int step) {
    const int n = ring.members;
    return {.to = around(member + 1, n),
            .send = {around(member - 1 - step, n)},
            .from = around(member - 1, n),
            .receive = {around(member - 2 - step, n)},
            .reduce = true};
}

Step gather_step(const Schedule& ring, int /*channel*/, int member, int step) {
    const int n = ring.members;
    return {.to = around(member + 1, n),
            .send = {around(member - step, n)},
            .from = around(member - 1, n),
            .receive = {around(member - 1 - step, n)}};
}

Step all_reduce_step(const Schedule& ring, int channel, int member, int step) {
    const int half = ring.members - 1;
    return step < half ? reduce_step(ring, channel, member, step) : gather_step(ring, channel, member, step - half);
}

RingOrder order_of(const Schedule& ring, int channel) {
    return {ring.members, ring.method.inner, channel};
}

// A ring in the channel's own order: who is at place p does what member p of the plain ring does, and block p is its.
Step over_nodes(const Schedule& ring, int channel, int member, int number) {
    const RingOrder order = order_of(ring, channel);
    Step step = ring_step(ring.kind, ring.members, order.place_of(member), number);
    for (int* const place : {&step.to, &step.send.first, &step.from, &step.receive.first}) {
        *place = order.member_at(*place);
    }
    return step;
}

// The member at distance d from the chain's first gets chunk k in step d-1+k and passes it on in the next.
Step chain_step(const Schedule& chain, const RingOrder& order, int first, int member, int step) {
    const int n = chain.members;
    const int place = order.place_of(member);
    const int distance = around(place - first, n);
    const int out = step - distance;
    const int in = out + 1;
    Step result;
    if (distance < n - 1 && out >= 0 && out < chain.blocks()) {
        result.to = order.member_at(around(place + 1, n));
        result.send = {out};
    }
    if (distance > 0 && in >= 0 && in < chain.blocks()) {
        result.from = order.member_at(around(place - 1, n));
        result.receive = {in};
    }
    return result;
}

Step broadcast_step(const Schedule& chain, int channel, int member, int step) {
    const RingOrder order = order_of(chain, channel);
    return chain_step(chain, order, order.place_of(chain.root), member, step);
}

// Ends at the root, so it begins at the root's right neighbour.
Step chain_reduce_step(const Schedule& chain, int channel, int member, int step) {
    const RingOrder order = order_of(chain, channel);
    Step result = chain_step(chain, order, order.place_of(chain.root) + 1, member, step);
    result.reduce = true;
    return result;
}

Schedule chain(CollectiveKind kind, int members, int root, const MethodOptions& options,
               Step (*at)(const Schedule&, int, int, int)) {
    const int pieces = options.pieces > 0 ? options.pieces : members;
    return split_over({.kind = kind,
                       .members = members,
                       .root = root,
                       .method = {Algorithm::ring, options},
                       .steps = members == 1 ? 0 : members - 2 + pieces,
                       .chunks = pieces,
                       .at = at},
                      options.channels);
}

Schedule ring(CollectiveKind kind, int members, int steps, const MethodOptions& options,
              Step (*at)(const Schedule&, int, int, int)) {
    return split_over({.kind = kind,
                       .members = members,
                       .method = {Algorithm::ring, options},
                       .steps = steps,
                       .chunks = members,
                       .lock_step = true,
                       .at = options.inner == 0 ? at : over_nodes},
                      options.channels);
}

}  // namespace

Schedule ring_all_reduce(int members, const MethodOptions& options) {
    return ring(CollectiveKind::all_reduce, members, 2 * (members - 1), options, all_reduce_step);
}

Schedule ring_reduce_scatter(int members, const MethodOptions& options) {
    return ring(CollectiveKind::reduce_scatter, members, members - 1, options, reduce_step);
}

Schedule ring_all_gather(int members, const MethodOptions& options) {
    return ring(CollectiveKind::all_gather, members, members - 1, options, gather_step);
}

Schedule ring_broadcast(int members, int root, const MethodOptions& options) {
    return chain(CollectiveKind::broadcast, members, root, options, broadcast_step);
}

Schedule ring_reduce(int members, int root, const MethodOptions& options) {
    return chain(CollectiveKind::reduce, members, root, options, chain_reduce_step);
}

Step ring_step(CollectiveKind kind, int members, int member, int step) {
    const bool reduces =
        kind == CollectiveKind::reduce_scatter || (kind == CollectiveKind::all_reduce && step < members - 1);
    const Schedule of{.members = members};
    return reduces ? reduce_step(of, 0, member, step)
                   : gather_step(of, 0, member, kind == CollectiveKind::all_reduce ? step - (members - 1) : step);
}

}  // namespace sim
