// Profile kinds "units" and "uniform" (uniform networks, and nodes of them) and "cluster" (a topology).
#include "libsim/config/profile_kinds.hpp"
#include "libsim/config/topology_table.hpp"

namespace sim::config {

namespace {

// The table of the network within a node (or of the only network), and that between nodes, if there are nodes.
constexpr const char* everywhere = "network";
constexpr const char* across_nodes = "network.across_nodes";

std::vector<std::string> known_keys(const std::string& compute_rate, const std::string& network_rate) {
    std::vector<std::string> keys = compute_keys(compute_rate);
    keys.emplace_back("network.ranks_per_node");
    for (const std::string network : {everywhere, across_nodes}) {
        keys.push_back(network + ".latency_seconds");
        keys.push_back(network + "." + network_rate);
        keys.push_back(network + ".acknowledgement_seconds");
    }
    return keys;
}

// `read` reads one network by its table. Without nodes there is only one.
template <class Read>
Network network_of(const TomlReader& file, Read read) {
    const TomlEntry* const per_node = file.find("network.ranks_per_node");
    const bool has_other = file.has_table(across_nodes);
    if (per_node == nullptr && !has_other) {
        return read(everywhere);
    }
    const int ranks = file.whole(file.require("network.ranks_per_node"), 1, 1'000'000);
    return Nodes{.ranks_per_node = ranks, .within = read(everywhere), .across = read(across_nodes)};
}

}  // namespace

Cluster units_profile(const TomlReader& file, int /*ranks*/) {
    file.know_only(known_keys("seconds_per_unit", "seconds_per_data_unit"));
    Cluster cluster;
    cluster.compute.per_billionth_unit = file.pace(file.require("compute.seconds_per_unit"));
    read_slowdowns(file, cluster.compute);
    cluster.network = network_of(file, [&](const std::string& name) {
        Uniform network;
        network.latency = file.duration(file.require(name + ".latency_seconds"));
        network.per_billionth_unit = file.pace(file.require(name + ".seconds_per_data_unit"));
        const TomlEntry* acknowledgement = file.find(name + ".acknowledgement_seconds");
        network.acknowledgement = acknowledgement != nullptr ? file.duration(*acknowledgement) : network.latency;
        return network;
    });
    return cluster;
}

Cluster uniform_profile(const TomlReader& file, int /*ranks*/) {
    file.know_only(known_keys("flops_per_second", "bytes_per_second"));
    Cluster cluster;
    cluster.compute = read_flops(file);
    cluster.network = network_of(file, [&](const std::string& name) {
        UniformOptions options{.latency = file.duration(file.require(name + ".latency_seconds")),
                               .bandwidth = Bandwidth{file.per_second(file.require(name + ".bytes_per_second"))}};
        if (const TomlEntry* acknowledgement = file.find(name + ".acknowledgement_seconds")) {
            options.acknowledgement = file.duration(*acknowledgement);
        }
        return *uniform(options).network.as<Uniform>();
    });
    return cluster;
}

Cluster cluster_profile(const TomlReader& file, int ranks) {
    Cluster cluster;
    cluster.network =
        FairShare{std::make_shared<const Topology>(topology_of(file, "topology", ranks, flops_or_units_keys()))};
    cluster.compute = read_flops_or_units(file);
    cluster.bytes_per_unit = read_bytes_per_unit(file);
    return cluster;
}

}  // namespace sim::config
