// In every round of a binomial tree, each member that has the data passes it on, which doubles their number.
//
// Cost on a uniform network, n members that arrive together, S bytes, l latency paid by a send, a acknowledgement paid
// by a receive, L = l + a, B bandwidth:
//   broadcast   ceil(log2 n) (l + S/B) + floor(log2 n) a
//   reduce      floor(log2 n) (l + S/B) + ceil(log2 n) a                at the root
//   all-reduce  (floor(log2 n) + ceil(log2 n)) (L + S/B)                reduce to member 0, then broadcast
//   gather, scatter  log2 n L + (n-1) ceil(S/n) / B                     n a power of two; messages of 1, 2, 4, …
// It has the fewest rounds, with whole arrays, and is best for small S. n-1 messages; 2 (n-1) for an all-reduce. The
// root of a broadcast sends ceil(log2 n) S, a member of a reduce S, a member of a gather the chunks of its subtree.
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).
#include "libsim/collectives/schedules/schedules.hpp"

#include <algorithm>
#include <bit>

namespace sim::collectives {

namespace {

int binomial_distance_of(const Schedule& tree, int member) {
    return (member - tree.root + tree.members) % tree.members;
}

int member_at(const Schedule& tree, int distance) {
    return distance < 0 ? -1 : (distance + tree.root) % tree.members;
}

// The blocks of a subtree: those of its root and the members behind it. `reach` is the extent of a complete one.
ChunkSet subtree(const Schedule& tree, int distance, int reach) {
    return chunks_in_a_row(member_at(tree, distance), std::min(reach, tree.members - distance));
}

Step whole(const Schedule& tree, const Peers& peers, bool reduce) {
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from), .reduce = reduce};
    step.send.first = step.to < 0 ? -1 : 0;
    step.receive.first = step.from < 0 ? -1 : 0;
    return step;
}

Step binomial_broadcast_step(const Schedule& tree, int /*channel*/, int member, int round) {
    return whole(tree, binomial_away_from_root(tree.members, binomial_distance_of(tree, member), round), false);
}

Step binomial_reduce_step(const Schedule& tree, int /*channel*/, int member, int round) {
    return whole(tree, binomial_towards_root(tree.members, binomial_distance_of(tree, member), round), true);
}

Step binomial_all_reduce_step(const Schedule& tree, int channel, int member, int round) {
    const int half = binomial_rounds(tree.members);
    return round < half ? binomial_reduce_step(tree, channel, member, round)
                        : binomial_broadcast_step(tree, channel, member, round - half);
}

Step binomial_scatter_step(const Schedule& tree, int /*channel*/, int member, int round) {
    // Away from the root subtrees halve from round to round, so the largest message goes first.
    const int reach = 1 << (binomial_rounds(tree.members) - 1 - round);
    const int self = binomial_distance_of(tree, member);
    const Peers peers = binomial_away_from_root(tree.members, self, round);
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from)};
    step.send = peers.to < 0 ? ChunkSet{} : subtree(tree, peers.to, reach);
    step.receive = peers.from < 0 ? ChunkSet{} : subtree(tree, self, reach);
    return step;
}

Step binomial_gather_step(const Schedule& tree, int /*channel*/, int member, int round) {
    const int reach = 1 << round;
    const int self = binomial_distance_of(tree, member);
    const Peers peers = binomial_towards_root(tree.members, self, round);
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from)};
    step.send = peers.to < 0 ? ChunkSet{} : subtree(tree, self, reach);
    step.receive = peers.from < 0 ? ChunkSet{} : subtree(tree, peers.from, reach);
    return step;
}

// A tree of whole arrays, or of one block per member if its messages are the blocks of subtrees.
Schedule tree(const ScheduleRequest& request, int sweeps, Step (*at)(const Schedule&, int, int, int)) {
    const bool blocks = has_blocks(request.kind);
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .root = request.root,
                       .steps = sweeps * binomial_rounds(request.members),
                       .chunks = blocks ? request.members : 1,
                       .messages = blocks ? MessageLength::several_chunks : MessageLength::one_chunk,
                       .at = at},
                      request.config.channels);
}

}  // namespace

int binomial_rounds(int members) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
}

Peers binomial_away_from_root(int members, int distance, int round) {
    const int reach = 1 << (binomial_rounds(members) - 1 - round);
    if (distance % (2 * reach) == 0) {
        return {.to = distance + reach < members ? distance + reach : -1};
    }
    return {.from = distance % (2 * reach) == reach ? distance - reach : -1};
}

Peers binomial_towards_root(int members, int distance, int round) {
    const int reach = 1 << round;
    if (distance % (2 * reach) == 0) {
        return {.from = distance + reach < members ? distance + reach : -1};
    }
    return {.to = distance % (2 * reach) == reach ? distance - reach : -1};
}

Schedule binomial_tree_schedule(const ScheduleRequest& request) {
    switch (request.kind) {
        case CollectiveKind::broadcast: return tree(request, 1, binomial_broadcast_step);
        case CollectiveKind::reduce: return tree(request, 1, binomial_reduce_step);
        case CollectiveKind::gather: return tree(request, 1, binomial_gather_step);
        case CollectiveKind::scatter: return tree(request, 1, binomial_scatter_step);
        default: return tree(request, 2, binomial_all_reduce_step);
    }
}

}  // namespace sim::collectives
