// A Chakra execution trace as values: what one rank computes, sends, receives and joins, and what waits for what.
//
// A file holds less than ndsim simulates, so that some members travel in attributes of ours, whose names begin with
// "ndsim_": other programs pass over them, and a trace that ndsim wrote comes back as it was (docs/chakra.md).
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

// In the order of Chakra's own numbers; the last two are ndsim's, which take no time.
enum class NodeKind : std::uint8_t {
    invalid,
    metadata,
    memory_load,
    memory_store,
    compute,
    send,
    receive,
    collective,
    allocation,  // its size is allocated from here on, or, below 0, free again
    log_line,    // its name is
};

struct Node {
    std::uint64_t id = 0;
    std::string name;
    NodeKind kind = NodeKind::compute;
    std::vector<std::uint64_t> ctrl_deps;  // the nodes that must have ended before this one begins, with data_deps
    std::vector<std::uint64_t> data_deps;
    bool on_cpu = false;
    Duration time{0};                // compute, memory: 0: not known
    std::int64_t flops = 0;          // compute
    int peer = -1;                   // send, receive: the other rank
    std::int32_t tag = 0;            // send, receive
    bool in_collective = false;      // send, receive: the message is part of a collective, and never waits
    std::int64_t bytes = 0;          // of a message or collective, as Chakra counts them: an all-gather's are one shard
    std::optional<Size> size = {};   // as ndsim counts, where `bytes` cannot say it
    CollectiveKind collective = {};  // collective, as all that follow
    std::string group = {};          // a process group by name; empty: all ranks
    int root = -1;                   // -1: none, or the group's first
    Reduction reduction = Reduction::sum;
    std::optional<AlgorithmConfig> algorithm = {};  // default: the kind's own
    std::optional<Stream> stream = {};              // of ndsim's traces: nodes run in the order of their ids
    friend bool operator==(const Node&, const Node&) = default;
};

// Whether Chakra has that kind.
inline bool is_of_ndsim(NodeKind kind) {
    return kind > NodeKind::collective;
}

// The size of a message or collective, as Chakra counts it or, where that cannot say it, as ndsim does.
inline Size size_of(const Node& node) {
    return node.size.value_or(Size{Bytes{node.bytes}});
}

// The same of a collective of so many members, as ndsim counts it: of an all-gather the whole result, not a shard.
// Throws std::overflow_error.
Size whole_size(const Node& node, int members);

// Of ndsim's own traces: metadata on a stream waits there for its data_deps; without any it marks how far the stream
// has come, for others to wait for.
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
    std::vector<Node> nodes;  // by rising id; without metadata that nothing depends on
    friend bool operator==(const RankTrace&, const RankTrace&) = default;
};

// "node 7 "all-reduce of layer 3"", for errors.
std::string describe(const Node& node);

}  // namespace sim::chakra
