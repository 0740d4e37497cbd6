// This header defines the algorithm of a collective and its parameters, as a rank names them and as an op carries them.
//
// The table in collectives/schedules/algorithms.cpp gives each algorithm's name, the collectives it supports and its
// schedule; docs/collectives.md gives its cost.
#pragma once

#include <bit>
#include <cstdint>

namespace sim {

// A row number of that table. The rows below also have a C++ name; algorithm_named() finds any row.
enum class Algorithm : std::uint8_t {
    ring,
    bidirectional_ring,
    binomial_tree,
    double_binary_tree,
    halving_doubling,
    bruck,
    direct,
    hierarchical,
    parameter_server
};

struct AlgorithmParameters {
    // Sequences of steps that run side by side, each with its own share of the data and its own stream: 1 to 32. The
    // direct algorithm distributes its messages among them.
    int channels = 1;
    // Number of chunks that a pipelined algorithm (ring and double binary tree for broadcast and reduce, double binary
    // tree for all-reduce) cuts a channel's share into, up to 255. 0: the algorithm's default.
    int pieces = 0;
    // Hierarchical: `inner` is the number of ranks in an innermost group and, for three levels, `middle` the number of
    // such groups that form the next one. Up to 511. 0: no such level. Their product divides the number of members.
    // Ring: `inner` is the number of ranks per node; each channel leaves the node through a different one
    // (ring_order.hpp). 0: all channels leave through the last.
    int inner = 0;
    int middle = 0;
    friend bool operator==(const AlgorithmParameters&, const AlgorithmParameters&) = default;
};

// Limits of the parameters, which must fit into PackedParameters.
inline constexpr int most_channels = 32;
inline constexpr int most_pieces = 255;
inline constexpr int most_inner = 511;

// An algorithm and its parameters; converts from a plain Algorithm. All members of a collective must pass the same.
struct AlgorithmConfig : AlgorithmParameters {
    Algorithm algorithm;

    constexpr AlgorithmConfig(Algorithm a = Algorithm::ring, const AlgorithmParameters& parameters = {})
        : AlgorithmParameters(parameters), algorithm(a) {}
    friend bool operator==(const AlgorithmConfig&, const AlgorithmConfig&) = default;
};

// The parameters, packed into the 32 bits of an op's tag. All bits are 0 for an algorithm with default parameters.
struct PackedParameters {
    std::uint32_t more_channels : 6 = 0;  // in addition to the first
    std::uint32_t pieces : 8 = 0;
    std::uint32_t inner : 9 = 0;
    std::uint32_t middle : 9 = 0;
};
static_assert(sizeof(PackedParameters) == sizeof(std::int32_t));

// Requires: 1 to most_channels channels; each other parameter between 0 and its maximum.
inline PackedParameters packed(const AlgorithmParameters& parameters) {
    return {.more_channels = static_cast<std::uint32_t>(parameters.channels - 1) & 0x3fU,
            .pieces = static_cast<std::uint32_t>(parameters.pieces) & 0xffU,
            .inner = static_cast<std::uint32_t>(parameters.inner) & 0x1ffU,
            .middle = static_cast<std::uint32_t>(parameters.middle) & 0x1ffU};
}
inline AlgorithmParameters unpacked(PackedParameters word) {
    return {.channels = 1 + static_cast<int>(word.more_channels),
            .pieces = static_cast<int>(word.pieces),
            .inner = static_cast<int>(word.inner),
            .middle = static_cast<int>(word.middle)};
}
inline std::int32_t as_tag(PackedParameters word) {
    return std::bit_cast<std::int32_t>(word);
}
inline PackedParameters as_parameters(std::int32_t tag) {
    return std::bit_cast<PackedParameters>(tag);
}

}  // namespace sim
