// The double binary tree has two trees, each with half of the array; nearly every member forwards data in only one of
// them.
//
// Each half is cut into k pieces (8, or `pieces`) that follow each other down the tree, up it, or, in an all-reduce, up
// and down at once. The root is on top of both trees, which have depth H = ceil(log2 n).
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/(2k)):
//   broadcast, reduce   at most 2 (k + H - 1) (L + c/B)
//   all-reduce          at most 3 (k + 2H - 1) (L + c/B)
// The number of steps follows from a member that forwards data in a tree: it sends the k pieces to each of its two
// children, and in an all-reduce also up.
// Each piece crosses every edge of its tree once (all-reduce: twice): 2 k (n-1) messages, (n-1) S (2 (n-1) S) in all.
// A member with d_1 and d_2 children in the two trees sends (d_1 + d_2) S/2 in a broadcast, S in a reduce, and the sum
// of both in an all-reduce. Best for medium S and many members: as few latencies as a tree, and nearly the bandwidth of
// a ring.
// Source: Sanders, Speck & Träff, Parallel Computing 35 (2009); the trees are those of NCCL 2.4 (Jeaugey, 2019), below
// the root.
#include "libsim/collectives/schedules/schedules.hpp"

#include <array>
#include <bit>

namespace sim::collectives {

namespace {

// The position of a member in tree 0 or 1. Members are identified by their distance from the root, which is 0; -1:
// none.
struct TreePlace {
    int above = -1;
    int which = 0;  // index among its parent's two children
    int depth = 0;
    std::array<int, 2> below{-1, -1};
};

constexpr int default_pieces = 8;

int depth_of_tree(int members) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
}

int lowest_bit(int node) {
    return node & -node;
}

// The parent of node v > 0 is v with its lowest set bit moved up by one or, if that exceeds the last node, cleared.
int above_node(int nodes, int node) {
    const int bit = lowest_bit(node);
    const int up = (node ^ bit) | (2 * bit);
    return up < nodes ? up : node ^ bit;
}

std::array<int, 2> below_node(int nodes, int node) {
    if (node == 0) {
        return {nodes > 1 ? 1 << (depth_of_tree(nodes) - 1) : -1, -1};
    }
    int half = lowest_bit(node) / 2;
    if (half == 0) {
        return {-1, -1};
    }
    std::array<int, 2> below{node - half, -1};
    // A right child beyond the last node is replaced by one of its descendants, whose parent above_node() then finds by
    // clearing the bit.
    while (half > 0 && node + half >= nodes) {
        half /= 2;
    }
    below[1] = half > 0 ? node + half : -1;
    return below;
}

// The second tree has the same shape, with nodes shifted or mirrored so that odd nodes, the leaves, become even.
int node_of(int tree, int members, int distance) {
    if (tree == 0 || distance <= 0) {
        return distance;
    }
    const int others = members - 1;
    return others % 2 == 0 ? members - distance : (distance + others - 2) % others + 1;
}

int double_tree_distance_of(int tree, int members, int node) {
    if (tree == 0 || node <= 0) {
        return node;
    }
    const int others = members - 1;
    return others % 2 == 0 ? members - node : node % others + 1;
}

TreePlace place_in_tree(int tree, int members, int distance) {
    const int self = node_of(tree, members, distance);
    TreePlace place;
    for (int node = self; node > 0; node = above_node(members, node)) {
        ++place.depth;
    }
    if (self > 0) {
        const int above = above_node(members, self);
        place.above = double_tree_distance_of(tree, members, above);
        place.which = below_node(members, above)[0] == self ? 0 : 1;
    }
    const std::array<int, 2> below = below_node(members, self);
    place.below = {double_tree_distance_of(tree, members, below[0]), double_tree_distance_of(tree, members, below[1])};
    return place;
}

// One member of one tree, with its steps.
struct Place {
    const Schedule& schedule;
    TreePlace tree;

    Place(const Schedule& of, int channel, int member)
        : schedule(of), tree(place_in_tree(channel % 2, of.members, (member - of.root + of.members) % of.members)) {}

    void send(Step& step, int distance, int piece) const {
        if (distance >= 0 && piece >= 0 && piece < schedule.blocks()) {
            step.to = (distance + schedule.root) % schedule.members;
            step.send = {piece};
        }
    }
    void receive(Step& step, int distance, int piece, bool reduce) const {
        if (distance >= 0 && piece >= 0 && piece < schedule.blocks()) {
            step.from = (distance + schedule.root) % schedule.members;
            step.receive = {piece};
            step.reduce = reduce;
        }
    }
};

// A round has two steps: to the first and to the second child. A round's piece number decreases by one per level.
Step double_tree_broadcast_step(const Schedule& schedule, int channel, int member, int number) {
    const Place place(schedule, channel, member);
    const int piece = number / 2 - place.tree.depth;
    Step step;
    place.send(step, place.tree.below[static_cast<std::size_t>(number % 2)], piece);
    if (number % 2 == place.tree.which) {
        place.receive(step, place.tree.above, piece + 1, false);
    }
    return step;
}

Step double_tree_reduce_step(const Schedule& schedule, int channel, int member, int number) {
    const Place place(schedule, channel, member);
    const int piece = number / 2 - (depth_of_tree(schedule.members) - place.tree.depth);
    Step step;
    if (number % 2 == place.tree.which) {
        place.send(step, place.tree.above, piece);
    }
    place.receive(step, place.tree.below[static_cast<std::size_t>(number % 2)], piece + 1, true);
    return step;
}

// A round has three steps, sending up, to the first and to the second child, while receiving from the first, the
// second, and the parent.
Step double_tree_all_reduce_step(const Schedule& schedule, int channel, int member, int number) {
    const Place place(schedule, channel, member);
    const int depth = depth_of_tree(schedule.members);
    const int up = number / 3 - (depth - place.tree.depth);
    const int down = number / 3 - (depth + place.tree.depth);
    Step step;
    switch (number % 3) {
        case 0:
            place.send(step, place.tree.above, up);
            place.receive(step, place.tree.below[0], up + 1, true);
            break;
        case 1:
            place.send(step, place.tree.below[0], down);
            place.receive(step, place.tree.below[1], up + 1, true);
            break;
        default: place.send(step, place.tree.below[1], down); place.receive(step, place.tree.above, down + 1, false);
    }
    return step;
}

// Pieces flow through `levels` levels, in rounds of `steps_of_round` steps.
Schedule trees(const ScheduleRequest& request, int levels, int steps_of_round,
               Step (*at)(const Schedule&, int, int, int)) {
    const int pieces = request.config.pieces > 0 ? request.config.pieces : default_pieces;
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .root = request.root,
                       .steps = request.members == 1 ? 0 : steps_of_round * (pieces + levels - 1),
                       .chunks = pieces,
                       .at = at},
                      2 * request.config.channels);
}

}  // namespace

Schedule double_binary_tree_schedule(const ScheduleRequest& request) {
    const int depth = depth_of_tree(request.members);
    if (request.kind == CollectiveKind::all_reduce) {
        Schedule schedule = trees(request, 2 * depth, 3, double_tree_all_reduce_step);
        schedule.synchrony = Synchrony::later_step;
        return schedule;
    }
    return trees(request, depth, 2,
                 request.kind == CollectiveKind::broadcast ? double_tree_broadcast_step : double_tree_reduce_step);
}

}  // namespace sim::collectives
