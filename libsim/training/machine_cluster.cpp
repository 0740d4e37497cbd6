#include "libsim/training/machine_cluster.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

network::Uniform links_of(double latency_seconds, double bytes_per_second) {
    network::Uniform links{.latency = duration_of_seconds(latency_seconds)};
    if (bytes_per_second > 0) {
        links.per_byte = pace_of(Bandwidth{std::llround(bytes_per_second)});
    }
    return links;
}

}  // namespace

Cluster machine_cluster(const Machine& machine) {
    constexpr double millisecond = 1e-3;
    Cluster cluster{.name = machine.name, .network = machine.network};
    const Accelerator& gpu = machine.gpu;
    const double rate =
        std::max(gpu.sustained(MatrixUnits::bf16), gpu.sustained(MatrixUnits::fp16)) * gpu.efficiency.gemm_peak;
    if (rate > 0) {
        cluster.compute.per_flop = pace_of(FlopRate{std::llround(rate)});
    }
    cluster.compute.per_billionth_unit = pace_of_unit(millisecond);
    cluster.compute.overlap_slowdown = gpu.efficiency.compute_beside;
    return cluster;
}

double peer_rate(const Machine& machine) {
    const double link = machine.scale_up / network::neighbours(machine.network);
    return machine.gpu.through_host > 0 ? link * machine.gpu.through_host : link;
}

Cluster wire_cluster(const Machine& machine) {
    const network::NcclLatencies& hop = machine.network.ring.ll;
    return {.name = machine.name,
            .network = network::Nodes{.ranks_per_node = machine.gpus_per_node,
                                      .within = links_of(hop.within, peer_rate(machine)),
                                      .across = links_of(hop.across, machine.scale_out)}};
}

}  // namespace sim::training
