// This table maps Chakra's numbers of collectives (comm_type) to our kinds.
#pragma once

#include "libsim/op.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace sim::chakra {

// Indexed by comm_type. If two numbers mean the same kind, the first is the one that is written.
inline constexpr std::array collective_types{
    CollectiveKind::all_reduce,      // ALL_REDUCE
    CollectiveKind::reduce,          // REDUCE
    CollectiveKind::all_gather,      // ALL_GATHER
    CollectiveKind::gather,          // GATHER
    CollectiveKind::scatter,         // SCATTER
    CollectiveKind::broadcast,       // BROADCAST
    CollectiveKind::all_to_all,      // ALL_TO_ALL
    CollectiveKind::reduce_scatter,  // REDUCE_SCATTER
    CollectiveKind::reduce_scatter,  // REDUCE_SCATTER_BLOCK
    CollectiveKind::barrier,         // BARRIER
};

inline std::optional<CollectiveKind> collective_of_type(std::int64_t type) {
    if (type < 0 || type >= static_cast<std::int64_t>(collective_types.size())) {
        return std::nullopt;
    }
    return collective_types[static_cast<std::size_t>(type)];
}

constexpr std::int64_t type_of(CollectiveKind kind) {
    std::int64_t type = 0;
    while (collective_types[static_cast<std::size_t>(type)] != kind) {
        ++type;
    }
    return type;
}

}  // namespace sim::chakra
