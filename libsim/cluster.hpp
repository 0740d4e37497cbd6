// A cluster defines how long computations and messages take for the ranks that run on it.
#pragma once

#include "libsim/network/fair_share.hpp"
#include "libsim/network/loggp.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/network/network.hpp"
#include "libsim/network/uniform.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim {

// One GPU's speed, the same for all ranks apart from `slowdown`.
struct Compute {
    std::optional<Pace> per_flop;            // empty: no price for FLOPs
    std::optional<Pace> per_billionth_unit;  // empty: no price for units
    std::vector<double> slowdown;            // factors of rank 0, 1, …; ranks past the end run at full speed
    double overlap_slowdown = 1;             // factor on compute() while another stream of the rank is busy
};

struct Cluster {
    std::string name = "unnamed";
    Compute compute;
    Network network;
    // Bytes per unit of data, on networks that price only bytes. 0: units have no price.
    std::int64_t bytes_per_unit = 0;
    // A send ends no earlier than its receive begins, like MPI_Ssend. Messages inside a collective never wait.
    bool blocking_sends = false;
};

// The profile of the original Python simulator: 0.1 s per compute unit, 0.05 s latency to send and again to
// acknowledge, 0.01 s per data unit. Prices units only.
Cluster gpu_py();

struct UniformOptions {
    Duration latency{0};
    Bandwidth bandwidth;  // 0: size costs nothing
    FlopRate flops;       // 0: compute costs nothing
    Duration acknowledgement{0};
};
// A cluster that prices bytes and FLOPs: a message takes latency + bytes / bandwidth at both ends.
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
// The same with nodes (network/uniform.hpp): messages within a node and between nodes have separate prices.
Cluster nodes(const NodesOptions& options);

// Whether a message's time depends on others in progress. If so, ops must be replayed in time order.
bool links_are_shared(const Cluster& cluster);

// Throws ProgramError if the cluster has no price for what `size` counts.
void require_price(const Cluster& cluster, Size size, Hop hop = Hop::within);
// The size of a message in bytes on networks that price only bytes: its own bytes, or its units converted and rounded
// up.
std::int64_t bytes_of(const Cluster& cluster, Size size);
// The price of a message on a network that prices single messages (prices_messages()). Throws ProgramError if the
// cluster has no price for what `size` counts.
Duration transfer_time(const Cluster& cluster, Size size, Hop hop = Hop::within);
// The time that the receiver of any message spends after its arrival; 0 if that depends on the message.
inline Duration acknowledgement_time(const Cluster& cluster, Hop hop = Hop::within) {
    return cluster.network->acknowledgement_time(hop);
}
// 0: there are no nodes, so every message stays within one.
inline int ranks_per_node(const Cluster& cluster) {
    return cluster.network->node_map().ranks_per_node();
}
// Throws ProgramError if the cluster has no price for what `work` counts.
Duration compute_time(const Cluster& cluster, int rank, Work work);

}  // namespace sim
