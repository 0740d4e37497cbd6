// The double binary tree has two trees, each with half of the array; nearly every member forwards data in only one of
// them.
//
// Each half is cut into k pieces (8, or `pieces`) that follow each other down the tree, up it, or, in an all-reduce, up
// and down at once. The root is on top of both trees, which are H = ceil(log2 n) deep.
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/(2k)):
//   broadcast, reduce   at most 2 (k + H - 1) (L + c/B)
//   all-reduce          at most 3 (k + 2H - 1) (L + c/B)
// The number of steps follows from a member that forwards data in a tree: it sends the k pieces to each of the two
// below it, or up, too.
// Each piece crosses every edge of its tree once (all-reduce: twice): 2 k (n-1) messages, (n-1) S (2 (n-1) S) in all.
// A member with d_1 and d_2 members below it in the two trees sends (d_1 + d_2) S/2 in a broadcast, in a reduce S, and
// both in an all-reduce. For middle S and many members: as few latencies as a tree, and nearly the bandwidth of a ring.
// Source: Sanders, Speck & Träff, Parallel Computing 35 (2009); the trees are those of NCCL 2.4 (Jeaugey, 2019), below
// the root.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

#include <array>

namespace sim::collectives {

// Supports broadcast, reduce, and all-reduce, which goes to member 0 and back.
Schedule double_binary_tree_schedule(const ScheduleRequest& request);

// The place of a member in tree 0 or 1. Members are identified by their distance from the root, which is 0; -1: none.
struct TreePlace {
    int above = -1;
    int which = 0;  // of the two below the one above
    int depth = 0;
    std::array<int, 2> below{-1, -1};
};
TreePlace place_in_tree(int tree, int members, int distance);

}  // namespace sim::collectives
