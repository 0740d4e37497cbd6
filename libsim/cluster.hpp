// What the ranks run on: how long compute takes and how long messages take.
#pragma once

#include "libsim/network/fair_share.hpp"
#include "libsim/network/loggp.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/network/nodes.hpp"
#include "libsim/network/uniform.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim {

// One GPU's speed, the same for all ranks but for `slowdown`.
struct Compute {
    std::optional<Pace> per_flop;            // empty: FLOPs have no price here
    std::optional<Pace> per_billionth_unit;  // empty: units have no price here
    std::vector<double> slowdown;            // of rank 0, 1, …; ranks beyond its end run at full speed
    double overlap_slowdown = 1;             // compute() takes so much longer while a stream of the rank is busy
};

// docs/network.md: who pays what, and when.
using Network = std::variant<Uniform, Nodes, LogGP, FairShare, Nccl>;

// Whether two ranks are on one node. On a uniform network all are.
enum class Hop : std::uint8_t { within, across };

struct Cluster {
    std::string name = "unnamed";
    Compute compute;
    Network network;
    // What a unit of data is on LogGP networks, shared links and NCCL's nodes, which price bytes. 0: units have no
    // price there.
    std::int64_t bytes_per_unit = 0;
};

// The profile of the Python original: 0.1 s per compute unit, 0.05 s latency to send and again to acknowledge,
// 0.01 s per data unit. Prices units only.
Cluster gpu_py();

struct UniformOptions {
    Duration latency{0};
    Bandwidth bandwidth;  // 0: size costs nothing
    FlopRate flops;       // 0: compute costs nothing
    Duration acknowledgement{0};
};
// A cluster that prices bytes and FLOPs: a message takes latency + bytes / bandwidth, at both ends.
Cluster uniform(const UniformOptions& options);

// Whether a message's time depends on the others under way: then ops must be replayed in the order of time.
bool links_are_shared(const Cluster& cluster);

// Throws ProgramError if the cluster has no price for what `size` counts.
void require_price(const Cluster& cluster, Size size, Hop hop = Hop::within);
// What a message of `size` has on networks that price bytes: its bytes, or those of its units, rounded up.
std::int64_t bytes_of(const Cluster& cluster, Size size);
// Costs of one op. Throw ProgramError if the cluster has no price for what `size` or `work` counts.
// A message has none on LogGP networks and shared links.
Duration transfer_time(const Cluster& cluster, Size size, Hop hop = Hop::within);
// What the receiver of any message pays once it is there; 0 where that depends on the message.
Duration acknowledgement_time(const Cluster& cluster, Hop hop = Hop::within);
// 0: there are no nodes, all are within.
int ranks_per_node(const Cluster& cluster);
inline Hop hop_between(int ranks_per_node, int a, int b) {
    return ranks_per_node > 0 && a / ranks_per_node != b / ranks_per_node ? Hop::across : Hop::within;
}
Duration compute_time(const Cluster& cluster, int rank, Work work);

}  // namespace sim
