// This header defines the algorithm of a collective and its parameters, as a rank names them and as they travel in an
// op.
//
// The table in collectives/schedules/algorithms.cpp gives each algorithm's name, the collectives it carries out, and
// how; docs/collectives.md gives its cost.
#pragma once

#include <bit>
#include <cstdint>

namespace sim {

// A row of that table, by its number. The rows below have a name in C++, too; any row is found by algorithm_named().
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
    // Sequences of steps that run side by side, each on its part of the data, each on a stream of its own. 1 … 32.
    // Direct: its messages are dealt out to them.
    int channels = 1;
    // Of a pipeline (ring and double binary tree, of broadcast and reduce; double binary tree of an all-reduce): into
    // how many chunks a channel's part is cut, up to 255. 0: the algorithm's own number.
    int pieces = 0;
    // Hierarchical: ranks of an innermost group, and, for three levels, how many such groups form the next one. Up to
    // 511. 0: no such level. Their product divides the number of members.
    // Ring: `inner` ranks of a node, which each channel leaves by another of them (ring_order.hpp). 0: by the last.
    int inner = 0;
    int middle = 0;
    friend bool operator==(const AlgorithmParameters&, const AlgorithmParameters&) = default;
};

inline constexpr int most_channels = 32;
inline constexpr int most_pieces = 255;
inline constexpr int most_inner = 511;

// An algorithm and its parameters; an algorithm alone is one, too. All members of a collective must name the same.
struct AlgorithmConfig : AlgorithmParameters {
    Algorithm algorithm;

    constexpr AlgorithmConfig(Algorithm a = Algorithm::ring, const AlgorithmParameters& parameters = {})
        : AlgorithmParameters(parameters), algorithm(a) {}
    friend bool operator==(const AlgorithmConfig&, const AlgorithmConfig&) = default;
};

// The parameters in the 32 bits of an op's tag. All bits are 0 for an algorithm alone.
struct PackedParameters {
    std::uint32_t more_channels : 6 = 0;  // beside the first
    std::uint32_t pieces : 8 = 0;
    std::uint32_t inner : 9 = 0;
    std::uint32_t middle : 9 = 0;
};
static_assert(sizeof(PackedParameters) == sizeof(std::int32_t));

// Requires: 1 to most_channels channels, and none of the others below 0 or above its most.
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
