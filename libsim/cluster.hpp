// A cluster defines how long computations and messages take for the ranks that run on it.
#pragma once

#include "libsim/network/fair_share.hpp"
#include "libsim/network/loggp.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/network/network.hpp"
#include "libsim/network/nodes.hpp"
#include "libsim/network/uniform.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim {

// One GPU's speed, the same for all ranks but for `slowdown`.
struct Compute {
    std::optional<Pace> per_flop;            // empty: FLOPs have no price here
    std::optional<Pace> per_billionth_unit;  // empty: units have no price here
    std::vector<double> slowdown;            // of rank 0, 1, …; ranks beyond its end run at full speed
    double overlap_slowdown = 1;             // compute() takes so much longer while a stream of the rank is busy
};

struct Cluster {
    std::string name = "unnamed";
    Compute compute;
    Network network;
    // The bytes of a unit of data on networks that price bytes alone. 0: units have no price there.
    std::int64_t bytes_per_unit = 0;
    // A send ends when its receive begins, at the earliest, as MPI_Ssend does. Messages inside a collective never wait.
    bool blocking_sends = false;
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

struct LinkOptions {
    Duration latency{0};
    Bandwidth bandwidth;  // 0: size costs nothing
    Duration acknowledgement{0};
};
struct NodesOptions {
    int ranks_per_node = 1;
    LinkOptions within;
    LinkOptions across;
    FlopRate flops;  // 0: compute costs nothing
};
// The same with nodes (network/nodes.hpp): messages within a node, and those between nodes, have prices of their own.
Cluster nodes(const NodesOptions& options);

// Whether a message's time depends on others in progress: if so, ops must be replayed in the order of time.
bool links_are_shared(const Cluster& cluster);

// Throws ProgramError if the cluster has no price for what `size` counts.
void require_price(const Cluster& cluster, Size size, Hop hop = Hop::within);
// The bytes of a message on networks that price bytes alone: its own, or those of its units, rounded up.
std::int64_t bytes_of(const Cluster& cluster, Size size);
// The price of a message, where the network prices messages (prices_messages()).
// Throws ProgramError if the cluster has no price for what `size` counts.
Duration transfer_time(const Cluster& cluster, Size size, Hop hop = Hop::within);
// The time that the receiver of any message pays once it has arrived; 0 where that depends on the message.
inline Duration acknowledgement_time(const Cluster& cluster, Hop hop = Hop::within) {
    return cluster.network->acknowledgement_time(hop);
}
// 0: there are no nodes, all are within.
inline int ranks_per_node(const Cluster& cluster) {
    return cluster.network->node_map().ranks_per_node();
}
// Throws ProgramError if the cluster has no price for what `work` counts.
Duration compute_time(const Cluster& cluster, int rank, Work work);

}  // namespace sim
