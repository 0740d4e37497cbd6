// What a caching allocator counts, as torch.cuda.memory_stats names it.
#pragma once

#include <array>
#include <cstdint>

namespace sim::slot {

struct Counter {
    std::int64_t current = 0;
    std::int64_t peak = 0;
    std::int64_t allocated = 0;
    std::int64_t freed = 0;

    void add(std::int64_t amount);
    void take(std::int64_t amount);
    // Adds what is above 0, and takes what is below it.
    void change(std::int64_t amount);
};

// Of small segments, of large ones, or of both.
struct Counters {
    Counter allocation;
    Counter segment;
    Counter active;
    Counter inactive_split;
    Counter allocated_bytes;
    Counter reserved_bytes;
    Counter active_bytes;
    Counter inactive_split_bytes;
    Counter requested_bytes;

    std::array<Counter*, 9> all();
};

// Of a whole allocator. What is oversize is as large as a block may be that is not split.
struct Events {
    Counter oversize_allocations;
    Counter oversize_segments;
    std::int64_t retries = 0;
    std::int64_t failures = 0;
    std::int64_t waits_for_streams = 0;
    std::int64_t device_allocations = 0;
    std::int64_t device_frees = 0;
};

}  // namespace sim::slot
