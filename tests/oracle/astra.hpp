// Collectives as ASTRA-sim runs them (data/astra.json), for our kernel to run, and what its model charges besides.
//
// There, one rank of `members` takes part in a collective of `bytes`; an all-gather's are the shard that each has. A
// chunk's messages follow each other in steps. Each step costs an endpoint delay, and there is one more at the end;
// reducing a message reads two and writes one of its size from local memory. Every time is cut to whole ns.
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

// What our ranks do for it. Where the algorithms of a name differ, that of ours with their steps:
//   ring all-to-all      its messages: everything goes round the ring, step by step
//   direct               n-1 channels, so that all messages leave at once; an all-reduce in two phases
//   doubleBinaryTree     a binomial tree: theirs passes whole arrays up and down one tree
void carry_out(GPU& gpu, const Group& group, const Asked& asked);

// Messages one after another, of these bytes and (on a ring of GPUs) this far.
struct Sent {
    std::int64_t bytes = 0;
    int distance = 1;      // there
    int our_distance = 1;  // of the message of this size here
    bool is_reduced = false;
};
std::vector<Sent> messages_of(const Asked& asked);

// Endpoint delays and reductions, in ns.
std::int64_t charges_of(const Asked& asked);

// 50 GiB/s and 500 ns a link; a FLOP takes 1 ps.
Cluster cluster_on(const std::string& topology, int gpus);
Cluster cluster_on(Topology topology);

// When each rank has ended.
std::vector<Duration> ends(const Cluster& cluster, int ranks, const ranks::Program& program);
Duration last_end(const Cluster& cluster, int ranks, const ranks::Program& program);

// Picoseconds of so many bytes on one link, exactly: 2^30 and 10^12 have few prime factors.
inline constexpr double latency = 500'000;
inline double drained(std::int64_t bytes) {
    return static_cast<double>(bytes) * 9'765'625 / 524'288;
}

// Their time in ns, less their charges, is ours plus `more` (in ps) before they cut `cut` terms to whole ns; we round
// each of at most so many messages up to a whole ps.
testing::AssertionResult agrees(std::int64_t their_ns, std::int64_t charges, Duration ours, double more, int cut);

}  // namespace sim::astra
