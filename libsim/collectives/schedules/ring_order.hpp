// The ring order is the order in which the channels of a ring pass the members of nodes, so that they leave a node by
// different GPUs.
//
// Where every GPU has a network card of its own, a ring uses one card of a node to come in and one to go out. So
// channel c begins its ring at GPU c: it passes all k GPUs of node 0 and leaves at GPU c-1, comes in at the GPU of the
// same number of node 1, passes that node the other way round and leaves at GPU c; and so on, by turns. Of k channels
// each node's k cards carry one in and one out, and every message between nodes goes from a GPU to its like: on one
// rail. Of an odd number of nodes, three or more of k >= 3, the last two close the ring by rail c-2; else one message
// of a ring changes the rail. Place p is in node j = p / k; of its GPU, with q = p % k, modulo k:
//   c + q       j even                          c - 1 + q   j second from the end of an odd number
//   c - 1 - q   j odd                           c - 2 - q, but c - 1 and c as the last two: j last of an odd number
// k = 0: members in their own order.
// Source: NCCL, src/graph/connect.cc: "Alternate rings to avoid crossing rails".
#pragma once

#include "libsim/namespaces.hpp"

namespace sim::collectives {

class RingOrder {
public:
    // Requires: inner is 0 or divides members.
    RingOrder(int members, int inner, int channel)
        : inner_(inner), nodes_(inner == 0 ? 0 : members / inner), channel_(inner == 0 ? 0 : channel % inner) {}

    // The two are inverses of each other. O(1).
    int member_at(int place) const;
    int place_of(int member) const;

private:
    // The way a ring passes a node.
    enum class Pass { up, down, up_from_next, down_to_first };

    Pass pass_of(int node) const;
    int modulo(int gpu) const { return ((gpu % inner_) + inner_) % inner_; }

    int inner_;
    int nodes_;
    int channel_;
};

}  // namespace sim::collectives
