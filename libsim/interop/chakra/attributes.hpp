// The names and numbers in a trace's file: ndsim's own node attributes, and Chakra's collectives.
#pragma once

#include "libsim/op.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace sim::chakra {

// Attributes beside Chakra's: they preserve everything that a rerun of an ndsim trace needs to be identical.
namespace attribute {

inline constexpr const char* time = "ndsim_ps";          // time of a computation, unless whole microseconds
inline constexpr const char* stream = "ndsim_stream";    // 0: the program's own, which computes; 255: asynchronous
inline constexpr const char* amount = "ndsim_amount";    // size of a message or collective, as ndsim counts it
inline constexpr const char* measure = "ndsim_measure";  // its measure: bytes, or (billionths of) units
// The kinds of computations without time.
inline constexpr const char* wait = "ndsim_wait";  // a wait or a mark
inline constexpr const char* allocation = "ndsim_allocation";
inline constexpr const char* log_line = "ndsim_log_line";
inline constexpr const char* in_collective = "ndsim_in_collective";
inline constexpr const char* root = "ndsim_root";
inline constexpr const char* reduction = "ndsim_reduction";
inline constexpr const char* algorithm = "ndsim_algorithm";
inline constexpr const char* channels = "ndsim_channels";
inline constexpr const char* pieces = "ndsim_pieces";
inline constexpr const char* inner = "ndsim_inner";
inline constexpr const char* middle = "ndsim_middle";

}  // namespace attribute

// Our kinds of Chakra's collectives, indexed by comm_type. If two numbers mean the same kind, the first is the one that
// is written.
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
