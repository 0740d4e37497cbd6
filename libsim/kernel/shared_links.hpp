// The links that messages share, as the kernel sees them: transfers under way, and which flow carries which.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/network/flows.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sim {

struct SharedLinks {
    std::shared_ptr<const Topology> topology;
    FlowNetwork flows;
    std::vector<std::uint32_t> transfer_of = {};  // by flow
    std::vector<LinkId> route = {};
    std::vector<FlowNetwork::Ended> ended = {};
    std::vector<std::uint32_t> done = {};
};

// Nothing where messages have their links for themselves. Throws ProgramError if there are fewer GPUs than ranks.
std::optional<SharedLinks> shared_links_of(const Cluster& cluster, int ranks);

}  // namespace sim
