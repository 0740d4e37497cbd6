// These options say which network a command's messages take: --topology or --profile.
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

// "dgx-h100", as it was typed.
std::string name_of(const NetworkOptions& options);
// Whether the network itself may say how many GPUs there are: a topology's file.
bool says_ranks(const NetworkOptions& options);

// For `ranks` GPUs; 0: as many as the network says, which `ranks` then is. Throws UsageError.
Cluster cluster_of(const NetworkOptions& options, int& ranks);

// Throws UsageError where messages of this kind have no price.
void require_price_of(const NetworkOptions& options, const Cluster& cluster, Size size);

}  // namespace sim::tools
