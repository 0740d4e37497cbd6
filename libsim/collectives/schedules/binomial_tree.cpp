#include "libsim/collectives/schedules/binomial_tree.hpp"

#include <algorithm>
#include <bit>

namespace sim {

namespace {

int distance_of(const Schedule& tree, int member) {
    return (member - tree.root + tree.members) % tree.members;
}

int member_at(const Schedule& tree, int distance) {
    return distance < 0 ? -1 : (distance + tree.root) % tree.members;
}

// The blocks of a subtree: its root's, and those behind it. `reach` is how far a whole one goes.
ChunkSet subtree(const Schedule& tree, int distance, int reach) {
    return chunks_in_a_row(member_at(tree, distance), std::min(reach, tree.members - distance));
}

Step whole(const Schedule& tree, const Peers& peers, bool reduce) {
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from), .reduce = reduce};
    step.send.first = step.to < 0 ? -1 : 0;
    step.receive.first = step.from < 0 ? -1 : 0;
    return step;
}

Step broadcast_step(const Schedule& tree, int /*channel*/, int member, int round) {
    return whole(tree, binomial_away_from_root(tree.members, distance_of(tree, member), round), false);
}

Step reduce_step(const Schedule& tree, int /*channel*/, int member, int round) {
    return whole(tree, binomial_towards_root(tree.members, distance_of(tree, member), round), true);
}

Step all_reduce_step(const Schedule& tree, int channel, int member, int round) {
    const int half = binomial_rounds(tree.members);
    return round < half ? reduce_step(tree, channel, member, round)
                        : broadcast_step(tree, channel, member, round - half);
}

Step scatter_step(const Schedule& tree, int /*channel*/, int member, int round) {
    const int reach = 1 << (binomial_rounds(tree.members) - 1 - round);
    const int self = distance_of(tree, member);
    const Peers peers = binomial_away_from_root(tree.members, self, round);
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from)};
    step.send = peers.to < 0 ? ChunkSet{} : subtree(tree, peers.to, reach);
    step.receive = peers.from < 0 ? ChunkSet{} : subtree(tree, self, reach);
    return step;
}

Step gather_step(const Schedule& tree, int /*channel*/, int member, int round) {
    const int reach = 1 << round;
    const int self = distance_of(tree, member);
    const Peers peers = binomial_towards_root(tree.members, self, round);
    Step step{.to = member_at(tree, peers.to), .from = member_at(tree, peers.from)};
    step.send = peers.to < 0 ? ChunkSet{} : subtree(tree, self, reach);
    step.receive = peers.from < 0 ? ChunkSet{} : subtree(tree, peers.from, reach);
    return step;
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

Schedule binomial_broadcast(int members, int root, int channels) {
    return split_over({.kind = CollectiveKind::broadcast,
                       .members = members,
                       .root = root,
                       .steps = binomial_rounds(members),
                       .at = broadcast_step},
                      channels);
}

Schedule binomial_reduce(int members, int root, int channels) {
    return split_over({.kind = CollectiveKind::reduce,
                       .members = members,
                       .root = root,
                       .steps = binomial_rounds(members),
                       .at = reduce_step},
                      channels);
}

Schedule binomial_all_reduce(int members, int channels) {
    return split_over({.kind = CollectiveKind::all_reduce,
                       .members = members,
                       .steps = 2 * binomial_rounds(members),
                       .at = all_reduce_step},
                      channels);
}

Schedule binomial_gather(int members, int root, int channels) {
    return split_over({.kind = CollectiveKind::gather,
                       .members = members,
                       .root = root,
                       .steps = binomial_rounds(members),
                       .chunks = members,
                       .one_chunk = false,
                       .at = gather_step},
                      channels);
}

Schedule binomial_scatter(int members, int root, int channels) {
    return split_over({.kind = CollectiveKind::scatter,
                       .members = members,
                       .root = root,
                       .steps = binomial_rounds(members),
                       .chunks = members,
                       .one_chunk = false,
                       .at = scatter_step},
                      channels);
}

}  // namespace sim
