// The ways to carry a collective out that NCCL weighs: of these it takes the one that it expects to be the fastest
// (nccl.hpp).
#pragma once

#include "libsim/network/nccl.hpp"

#include <string>
#include <vector>

namespace sim::network {

struct NcclWay {
    const char* algorithm = "ring";
    const char* protocol = "Simple";
    double expected = 0;  // seconds; a tree takes fewer than expected
    double latency = 0;   // of these, what no byte takes
};

// "ring/LL128"
std::string nccl_name(const char* algorithm, const char* protocol);

// In NCCL's order; none for one member. Throws as nccl_time() does.
std::vector<NcclWay> nccl_ways(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);

}  // namespace sim::network
