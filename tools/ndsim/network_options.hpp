// The options --topology and --profile choose the network of a command's messages.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/option_row.hpp"

#include <string>

namespace sim::tools {

struct NetworkOptions {
    std::string topology;  // empty: the profile's links, or dgx-h100
    std::string profile;   // empty: none
    bool given() const { return !topology.empty() || !profile.empty(); }
};

config::OptionRow topology_row(NetworkOptions& options);
config::OptionRow profile_row(NetworkOptions& options);

// The network's name as typed: "dgx-h100".
std::string name_of(const NetworkOptions& options);
// Whether the network itself may define the number of GPUs: true for a topology file.
bool says_ranks(const NetworkOptions& options);

// The network for `ranks` GPUs. 0 means the network's own number, which is stored in `ranks`. Throws UsageError.
Cluster cluster_of(const NetworkOptions& options, int& ranks);

// Throws UsageError if the network has no price for messages with this kind of size.
void require_price_of(const NetworkOptions& options, const Cluster& cluster, Size size);

}  // namespace sim::tools
