// A Chakra execution trace as values: the computations, messages and collectives of each rank, and their dependencies.
//
// A Chakra file holds less than ndsim simulates, so some members are stored in ndsim's own attributes, whose names
// begin with "ndsim_". Other programs ignore them, and a trace that ndsim wrote reads back unchanged (docs/chakra.md).
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/op.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::chakra {

// In the order of Chakra's own numbers; the last two are ndsim's and take no time.
enum class NodeKind : std::uint8_t {
    invalid,
    metadata,
    memory_load,
    memory_store,
    compute,
    send,
    receive,
    collective,
    allocation,  // allocates its size, or frees it if negative
    log_line,    // the line is its name
};

struct Node {
    std::uint64_t id = 0;
    std::string name;
    NodeKind kind = NodeKind::compute;
    std::vector<std::uint64_t> ctrl_deps;  // with data_deps: the nodes that must end before this one begins
    std::vector<std::uint64_t> data_deps;
    bool on_cpu = false;
    Duration time{0};                // compute, memory; 0: unknown
    std::int64_t flops = 0;          // compute
    int peer = -1;                   // send, receive: the other rank
    std::int32_t tag = 0;            // send, receive
    bool in_collective = false;      // send, receive: the message is part of a collective, and never waits
    std::int64_t bytes = 0;          // message or collective size as Chakra counts it: one shard of an all-gather
    std::optional<Size> size = {};   // size as ndsim counts it, if `bytes` cannot express it
    CollectiveKind collective = {};  // collective, as are all fields below
    std::string group = {};          // a process group by name; empty: all ranks
    int root = -1;                   // -1: none, or the group's first
    Reduction reduction = Reduction::sum;
    std::optional<AlgorithmConfig> algorithm = {};  // none: the kind's default
    std::optional<Stream> stream = {};              // in ndsim's traces, whose nodes run in the order of their ids
    friend bool operator==(const Node&, const Node&) = default;
};

// True for the kinds that Chakra does not have.
inline bool is_of_ndsim(NodeKind kind) {
    return kind > NodeKind::collective;
}

// The size of a message or collective, as Chakra counts it or, if Chakra cannot express it, as ndsim does.
inline Size size_of(const Node& node) {
    return node.size.value_or(Size{Bytes{node.bytes}});
}

// The size of a collective of `members` members as ndsim counts it: for an all-gather the whole result, not a shard.
// Throws std::overflow_error.
Size whole_size(const Node& node, int members);

// In ndsim's own traces, metadata on a stream waits there for its data_deps; without any, it marks the stream's
// progress for others to wait for.
inline bool is_wait_or_mark(const Node& node) {
    return node.kind == NodeKind::metadata && node.stream;
}
inline bool is_mark(const Node& node) {
    return is_wait_or_mark(node) && node.data_deps.empty();
}

// Process groups by name.
using ProcessGroups = std::map<std::string, std::vector<int>>;

struct RankTrace {
    std::string version = "0.0.4";
    ProcessGroups groups;
    std::vector<Node> nodes;  // in ascending order of id; without metadata that no node depends on
    friend bool operator==(const RankTrace&, const RankTrace&) = default;
};

// "node 7 "all-reduce of layer 3"", for errors.
std::string describe(const Node& node);

// A dependency graph holds, for each node of one rank, the nodes that must end before it begins. Indexed like the
// trace's list of nodes; each dependency appears once.
using Graph = std::vector<std::vector<std::uint32_t>>;

// Throws UsageError, which begins with `file`, for two nodes with one id, a dependency that is not a node, or a cycle.
// Requires: nodes in ascending order of id.
Graph graph_of(const RankTrace& trace, const std::string& file);

}  // namespace sim::chakra
