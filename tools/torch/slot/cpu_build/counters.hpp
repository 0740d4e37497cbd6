// The counters of a caching allocator, by their names in torch.cuda.memory_stats.
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
    // Adds a positive amount, or takes a negative one.
    void change(std::int64_t amount);
};

// Counters for small segments, for large ones, or for both.
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

// Counters of a whole allocator. Oversize means at least the size of blocks that are not split.
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
