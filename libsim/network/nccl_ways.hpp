// These are the algorithms and protocols that NCCL considers for a collective; it takes the one that it expects to be
// fastest (nccl.hpp).
#pragma once

#include "libsim/network/nccl.hpp"

#include <string>
#include <vector>

namespace sim::network {

struct NcclWay {
    const char* algorithm = "ring";
    const char* protocol = "Simple";
    double expected = 0;  // seconds; a tree takes less than expected
    double latency = 0;   // of it, the part that does not depend on bytes
};

// "ring/LL128"
std::string nccl_name(const char* algorithm, const char* protocol);

// In NCCL's order; none for one member. Throws what nccl_time() throws.
std::vector<NcclWay> nccl_ways(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members);

}  // namespace sim::network
