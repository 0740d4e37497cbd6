// Bus bandwidth, as nccl-tests define it, is the rate that each link would carry if every member sent and received at
// the same rate.
//
// Source: nccl-tests, doc/PERFORMANCE.md. A barrier counts as an all-reduce, as it does there.
#pragma once

#include "libsim/op.hpp"

namespace sim::network {

// Bytes that each member sends and receives per byte of the collective. Requires: members >= 1.
constexpr double bus_factor(CollectiveKind kind, double members) {
    switch (kind) {
        case CollectiveKind::barrier:
        case CollectiveKind::all_reduce: return 2 * (members - 1) / members;
        case CollectiveKind::broadcast:
        case CollectiveKind::reduce: return 1;
        case CollectiveKind::all_gather:
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::gather:
        case CollectiveKind::scatter:
        case CollectiveKind::all_to_all: return (members - 1) / members;
    }
    return 1;
}

}  // namespace sim::network
