// A meeting joins nodes of several ranks: a message and its receive, or a collective of all its members.
//
// The k-th send from one rank to another of a tag and size meets the k-th such receive; the k-th collectives of a
// process group's members meet. k counts the nodes of a rank by id. ASTRA-sim pairs them the same way, but counts in
// the order of time.
#pragma once

#include "libsim/group.hpp"
#include "libsim/interop/chakra/files.hpp"

#include <cstdint>
#include <vector>

namespace sim::chakra {

struct NodeAt {
    int rank = 0;
    std::uint32_t node = 0;  // its place in the trace's list
};

struct Meeting {
    std::vector<NodeAt> nodes;  // the send and the receive, or one node per member, in the group's order
    int group = -1;             // index into Meetings::groups; -1: a message
};

struct Meetings {
    std::vector<Meeting> all;
    std::vector<std::vector<std::int32_t>> of;  // by rank and node: index into `all`; -1: none
    std::vector<Group> groups;
};

// Throws UsageError for a group that is not defined or does not contain the rank, or a rank without a file;
// MismatchError for a node without a partner, and for collectives that differ.
Meetings meetings_of(const Traces& traces);

// "rank 3, node 7 "all-reduce"", for errors.
std::string describe(const Traces& traces, const NodeAt& at);

}  // namespace sim::chakra
