#include "tools/ndsim/network_options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/predict/machine_file.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

std::string name_of(const NetworkOptions& options) {
    return !options.profile.empty() ? options.profile : options.topology.empty() ? "dgx-h100" : options.topology;
}

config::OptionRow topology_row(NetworkOptions& options) {
    return {"topology", "NAME|FILE", "network with links that messages share; see ndsim topology (dgx-h100)",
            config::name_or_file(options.topology, predict::topology_and_machine_names())};
}

config::OptionRow profile_row(NetworkOptions& options) {
    return {"profile", "NAME|FILE", "network of a profile, instead of a topology",
            config::name_or_file(options.profile, config::profile_names())};
}

bool says_ranks(const NetworkOptions& options) {
    const std::string name = name_of(options);
    return options.profile.empty() && (name.ends_with(".toml") || name.find('/') != std::string::npos);
}

Cluster cluster_of(const NetworkOptions& options, int& ranks) {
    if (!options.profile.empty()) {
        if (!options.topology.empty()) {
            throw config::UsageError("--topology and --profile both define the links; give one of them");
        }
        return config::read_profile(options.profile, ranks);
    }
    Cluster cluster;
    cluster.name = name_of(options);
    auto topology = std::make_shared<const Topology>(predict::read_topology(cluster.name, ranks));
    ranks = ranks == 0 ? topology->gpus : ranks;
    cluster.network = FairShare{std::move(topology)};
    return cluster;
}

void require_price_of(const NetworkOptions& options, const Cluster& cluster, Size size) {
    try {
        require_price(cluster, size);
    } catch (const ProgramError& error) {
        throw config::UsageError(fmt::format("--profile {} does not fit: {}", options.profile, error.what()));
    }
}

}  // namespace sim::tools
