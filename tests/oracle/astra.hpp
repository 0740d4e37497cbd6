// Collectives as ASTRA-sim runs them (data/astra.json), run on our kernel, and the extra charges of its model.
//
// In ASTRA-sim, one rank of `members` takes part in a collective of `bytes`; for an all-gather they are each rank's
// shard. A chunk's messages follow each other in steps. Each step costs an endpoint delay, with one more at the end;
// reducing a message reads two messages' worth of bytes and writes one in local memory. Every time is truncated to
// whole ns.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/network/topology.hpp"
#include "tests/support/simulate.hpp"

#include <nlohmann/json.hpp>

namespace sim::astra {

inline constexpr Bandwidth GiB_per_s{std::int64_t{1} << 30U};
inline constexpr std::int64_t endpoint_delay = 10;  // ns

nlohmann::json runs_of(const char* what);

struct Asked {
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::string algorithm = "ring";
    int members = 1;
    std::int64_t bytes = 0;
};
CollectiveKind kind_of(const std::string& name);

// Our ranks' version of it. If algorithms of the same name differ, ours has their steps:
//   ring all-to-all      its messages: everything goes round the ring, step by step
//   direct               n-1 channels, so that all messages leave at once; an all-reduce in two phases
//   doubleBinaryTree     a binomial tree: theirs passes whole arrays up and down one tree
void execute(GPU& gpu, const Group& group, const Asked& asked);

// A message of a sequence: its bytes and, on a ring of GPUs, its distance.
struct Sent {
    std::int64_t bytes = 0;
    int distance = 1;      // in ASTRA-sim
    int our_distance = 1;  // of our message of this size
    bool is_reduced = false;
};
std::vector<Sent> messages_of(const Asked& asked);

// Endpoint delays and reductions, in ns.
std::int64_t charges_of(const Asked& asked);

// 50 GiB/s and 500 ns a link; a FLOP takes 1 ps.
Cluster cluster_on(const std::string& topology, int gpus);
Cluster cluster_on(Topology topology);

// End time of each rank.
std::vector<Duration> ends(const Cluster& cluster, int ranks, const ranks::Program& program);
Duration last_end(const Cluster& cluster, int ranks, const ranks::Program& program);

// Exact picoseconds of these bytes on one link: 2^30 and 10^12 have few prime factors.
inline constexpr double latency = 500'000;
inline double drained(std::int64_t bytes) {
    return static_cast<double>(bytes) * 9'765'625 / 524'288;
}

// Checks that their time in ns, minus their charges, is ours plus `more` (in ps), except that they truncate `cut` terms
// to whole ns and we round each of at most as many messages up to a whole ps.
testing::AssertionResult agrees(std::int64_t their_ns, std::int64_t charges, Duration ours, double more, int cut);

}  // namespace sim::astra
