// The ring order is the order in which the channels of a ring visit the members of nodes, so that they leave a node
// through different GPUs.
//
// If every GPU has its own network card, a ring enters a node through one card and leaves through another. So channel c
// starts its ring at GPU c: it visits all k GPUs of node 0 and leaves at GPU c-1, enters node 1 at the GPU with the
// same number, visits that node in the opposite direction and leaves at GPU c; and so on, alternating. With k channels
// each of a node's k cards carries one ring in and one out, and every message between nodes connects GPUs with the same
// number: it stays on one rail. With an odd number of nodes, at least three of k >= 3, the last two close the ring over
// rail c-2; otherwise one message of a ring would change rails. Place p is in node j = p / k; its GPU, with q = p % k,
// modulo k, is:
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
    // The way in which a ring visits a node.
    enum class Pass { up, down, up_from_next, down_to_first };

    Pass pass_of(int node) const;
    int modulo(int gpu) const { return ((gpu % inner_) + inner_) % inner_; }

    int inner_;
    int nodes_;
    int channel_;
};

}  // namespace sim::collectives
