// The network that a command runs on, as --topology or --profile names it.
#pragma once

#include "libsim/cluster.hpp"

#include <string>

namespace sim::tools {

struct NetworkChoice {
    std::string topology;  // empty: none
    std::string profile;
    bool given() const { return !topology.empty() || !profile.empty(); }
    const std::string& name() const { return profile.empty() ? topology : profile; }
};

// Requires: one is given. With ranks == 0: all of a topology's file. Throws UsageError for both, and for what cannot
// be read.
Cluster cluster_of(const NetworkChoice& choice, int ranks);

}  // namespace sim::tools
