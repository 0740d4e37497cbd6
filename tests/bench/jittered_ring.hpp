// A ring whose messages differ in size.
#pragma once

#include "libsim/gpu.hpp"

namespace sim::bench {

// An all-reduce's ring, message by message; sizes differ from rank to rank and step to step, so that no two coincide.
inline void jittered_ring(GPU& gpu, int apart) {
    const int n = gpu.world_size();
    const int next = (gpu.rank() + apart) % n;
    const int before = (gpu.rank() + n - apart) % n;
    const auto size = [](int rank, int step) {
        const auto mixed = static_cast<std::uint64_t>(rank) * 2654435761U + static_cast<std::uint64_t>(step) * 40503U;
        return Bytes{1'000'000 + static_cast<std::int64_t>(mixed * 0x9e3779b97f4a7c15U >> 44U)};
    };
    for (int step = 0; step < 2 * (n - 1); ++step) {
        gpu.send(next, size(gpu.rank(), step));
        gpu.receive(before, size(before, step));
    }
}

}  // namespace sim::bench
