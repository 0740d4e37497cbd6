// The load of the ring benchmarks, the same for ndsim and its peers: the messages that rank r sends to its right
// neighbour in step s of a ring all-reduce.
#pragma once

#include <cstdint>

namespace sim::bench {

inline constexpr std::int64_t bytes_per_second = 12'500'000'000;  // of the private link to the right
inline constexpr double latency_seconds = 5e-6;

constexpr int steps_of(int ranks) {
    return 2 * (ranks - 1);
}

// Lock-step: equal sizes, so that every rank does the same at the same instant. Jittered: sizes from a hash of rank and
// step, so that events hardly ever coincide.
constexpr std::int64_t message_bytes(bool jittered, int rank, int step) {
    if (!jittered) {
        return 1'000'000;
    }
    std::uint64_t h = static_cast<std::uint64_t>(rank) << 32U | static_cast<std::uint64_t>(step);
    h = (h ^ h >> 33U) * 0xff51afd7ed558ccdU;
    h = (h ^ h >> 33U) * 0xc4ceb9fe1a85ec53U;
    return 500'000 + static_cast<std::int64_t>((h ^ h >> 33U) % 1'000'000U);
}

}  // namespace sim::bench
