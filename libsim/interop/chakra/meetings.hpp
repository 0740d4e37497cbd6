// A meeting is what nodes of several ranks do together: a message and its receive, or a collective of all its members.
//
// The k-th send from one rank to another of a tag and size meets the k-th receive of these; the k-th collectives of a
// process group's members meet. k counts the nodes of a rank by id. So ASTRA-sim pairs them, but for the order, which
// there is that of time.
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
    std::vector<NodeAt> nodes;  // the send and the receive, or one of each member, as the group has them
    int group = -1;             // of Meetings::groups; -1: a message
};

struct Meetings {
    std::vector<Meeting> all;
    std::vector<std::vector<std::int32_t>> of;  // by rank and node: which of all; -1: none
    std::vector<Group> groups;
};

// Throws UsageError for a group that is not defined or has not this rank, or a rank without a file; MismatchError for a
// node that no other meets, and for collectives that differ.
Meetings meetings_of(const Traces& traces);

// "rank 3, node 7 "all-reduce"", for errors.
std::string describe(const Traces& traces, const NodeAt& at);

}  // namespace sim::chakra
