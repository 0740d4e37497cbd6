// This network charges a collective the time that NCCL's own tuner expects for the algorithm and protocol it estimates
// to be fastest: one duration for all members, from the arrival of the last one.
//
//   time = base latency + steps within * hop + steps across * hop + bytes on the bus / bus bandwidth
//
// Other libraries choose otherwise; `one_protocol`, `peers` and `torus_axes` say in what they and their links differ.
// Unlike on other networks, a collective is not made of messages here, and no two transfers disturb each other.
// docs/network.md, "NCCL", states which choice is made when, and how it compares with measured runs.
// Source of the formulas and constants: NVIDIA/nccl, src/graph/tuning.cc (2026-06).
#pragma once

#include "libsim/network/model.hpp"
#include "libsim/units.hpp"

#include <string>
#include <vector>

namespace sim::network {

// Latencies of one protocol, in seconds.
struct NcclLatencies {
    double base = 0;
    double within = 0;  // one hop between GPUs of a node
    double across = 0;  // one hop between nodes
};
struct NcclProtocols {
    NcclLatencies ll;
    NcclLatencies ll128;
    NcclLatencies simple;
};

// Bandwidths in bytes per second, per GPU and direction.
struct Nccl {
    int ranks_per_node = 8;
    double within = 0;        // bandwidth of a ring within a node
    double across = 0;        // bandwidth of a ring between nodes; 0: no such traffic
    double ll_most = 87.7e9;  // maximum bus bandwidth of the LL protocol within a node; a quarter of it across
    NcclProtocols ring{{6.6e-6, 0.6e-6, 2.7e-6}, {14.0e-6, 1.9e-6, 4.0e-6}, {8.4e-6, 3.4e-6, 14.0e-6}};
    NcclProtocols tree{{6.8e-6, 0.6e-6, 5.0e-6}, {14.0e-6, 1.25e-6, 8.5e-6}, {8.4e-6, 4.0e-6, 14.0e-6}};
    // Bus bandwidth of an all-reduce of 8 or more GPUs of a node whose switches reduce (NVLS), used for groups of more
    // than 4 GPUs; 0: the switches do not reduce.
    double switch_bandwidth = 0;
    double switch_latency = 25e-6;
    double switch_latency_across = 20.9e-6;  // in addition, twice per level of a tree of nodes
    double message_latency = 8e-6;           // of a point-to-point message within a node …
    double message_latency_across = 16e-6;   // … and between nodes
    // Added to each hop between nodes: the latency that a network plugin states for its cards. NCCL's own plugin for
    // InfiniBand states none, because the latencies above are InfiniBand's.
    double card_latency = 0;
    // The library has no low-latency protocols (LL, LL128), so that only the latencies of `simple` count.
    bool one_protocol = false;
    // The other GPUs of a node among which a GPU's links are divided, as in a full mesh; 0: a switch gives all of
    // `within` to any pair.
    int peers = 0;
    // The GPUs of a node form a torus with this many axes (1 to 3), 2 links an axis; 0: no torus. Within a node,
    // collectives use all axes at once. Sides of at least `torus_closed` GPUs are rings.
    int torus_axes = 0;
    int torus_closed = 0;
    // The GPU of each rank, if a few ranks are simulated on behalf of many; empty: rank i is GPU i.
    std::vector<int> places = {};

    // The interface that the simulator requires (model.hpp).
    Duration message_time(Size bytes, Hop hop) const;
    Duration collective_time(CollectiveKind kind, std::int64_t bytes, const Footprint& members) const;
    static std::int64_t sent_in_collective(CollectiveKind kind, std::int64_t amount, const Footprint& members);
};

// The time of a collective. `bytes` are those of the whole result (reduce-scatter, scatter, all-to-all: of the whole
// input of a rank), as in sim::Collective; a barrier is an all-reduce of 0 bytes. A single member takes no time.
// Allocates nothing, except on a torus. Throws ProgramError if it needs `within` or `across` and that is 0.
Duration nccl_time(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);

// The neighbours among which the links of a GPU within its node are divided; 1: a switch.
int neighbours(const Nccl& network);

// The rate at which a member of a group with this many members on a node sends to the others there: less than `within`
// if it has links only to some of them, or to few.
double node_rate(const Nccl& network, int on_node);

// The choice behind that time: algorithm (ring, tree, NVLS, NVLS-tree, direct, torus; none for one member), protocol
// (LL, LL128, Simple; none if the library has only one), bus bandwidth (as nccl-tests define it).
struct NcclChoice {
    const char* algorithm = "ring";
    const char* protocol = "Simple";
    double seconds = 0;
    double bus_bandwidth = 0;
};
NcclChoice nccl_choice(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);

// The bytes that a member sends, on average: nccl-tests' bus bytes, with each share rounded up.
std::int64_t nccl_bytes_sent(CollectiveKind kind, std::int64_t bytes, int members);

// The time of a message between two GPUs: a latency, plus its bytes over the links or the sender's own card. Throws
// ProgramError if the `within` or `across` that it needs is 0.
Duration nccl_message_time(const Nccl& network, std::int64_t bytes, bool across);

// An algorithm and protocol that NCCL considers for a collective; it takes the one that it expects to be fastest.
struct NcclWay {
    const char* algorithm = "ring";
    const char* protocol = "Simple";
    double expected = 0;  // seconds; a tree takes less than expected
    double latency = 0;   // of it, the part that does not depend on bytes
};

// "ring/LL128", or "ring" if the protocol is "none"
std::string nccl_name(const char* algorithm, const char* protocol);

// In NCCL's order; none for one member. Throws what nccl_time() throws.
std::vector<NcclWay> nccl_ways(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);

}  // namespace sim::network
