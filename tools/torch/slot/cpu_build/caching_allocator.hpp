// The caching allocator of one simulated GPU, with the rules of PyTorch's own for CUDA at its default settings, for a
// build of PyTorch that has none.
//
// Sizes are rounded up to 512 B. A request of up to 1 MiB comes out of segments of 2 MiB; one below 10 MiB out of
// segments of 20 MiB; a larger one has a segment of its own, rounded up to 2 MiB. The smallest free block of its stream
// that is large enough is taken, of equal ones that of the lowest address, and split where 512 B (small) or more than 1
// MiB (large) would remain. A freed block joins its free neighbours and stays reserved; one that other streams use is
// free once these have come past the place at which it was freed. When the GPU is full, segments that are free as a
// whole go back to it. Source: c10/cuda/CUDACachingAllocator.cpp, whose statistics a build for CUDA shows for the same
// script.
//
// Cost: a binary search in the free blocks. Not for several threads at once.
#pragma once

#include "tools/torch/seam.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace sim::slot {

struct Counter {
    std::int64_t current = 0;
    std::int64_t peak = 0;
    std::int64_t allocated = 0;
    std::int64_t freed = 0;

    void add(std::int64_t amount);
    void take(std::int64_t amount);
};

// As torch.cuda.memory_stats names them.
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

enum class PoolKind : std::uint8_t { small, large };

// A stretch of a segment: a tensor's memory, or free.
struct Block {
    char* address = nullptr;
    std::int64_t size = 0;
    std::int64_t requested = 0;
    std::int64_t stream = 0;
    std::int32_t device = 0;
    PoolKind pool = PoolKind::small;
    bool is_free = false;
    Block* before = nullptr;  // its neighbours in the segment
    Block* after = nullptr;
    std::set<std::int64_t> users = {};  // other streams that use it
    std::size_t marks = 0;              // places that have to be passed until it is free

    bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

class CachingAllocator {
public:
    CachingAllocator(const seam::Gpu& gpu, std::int32_t device) : gpu_(&gpu), device_(device) {}
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    // Null: the GPU is full. Requires: bytes > 0.
    Block* allocate(std::int64_t bytes, std::int64_t stream);
    void free(Block* block);
    // The block, which is a tensor's, is used by this stream, too.
    void record(Block* block, std::int64_t stream);
    void empty_cache();

    Counters& all() { return counters_[0]; }
    Counters& of(PoolKind pool) { return counters_[pool == PoolKind::small ? 1 : 2]; }
    void reset_peaks();
    void reset_accumulated();
    std::int64_t retries() const { return retries_; }
    std::int64_t failures() const { return failures_; }
    // The first block of each segment, in the order of addresses.
    std::vector<const Block*> segments() const;

private:
    struct Smaller {
        bool operator()(const Block* left, const Block* right) const;
    };
    using Free = std::set<Block*, Smaller>;
    struct Waiting {
        seam::Mark mark;
        Block* block;
    };

    Free& free_of(const Block& block) { return free_[block.pool == PoolKind::small ? 0 : 1]; }
    template <class Change>
    void count(PoolKind pool, Change change) {
        change(counters_[0]);
        change(of(pool));
    }
    Block* found(PoolKind pool, std::int64_t size, std::int64_t stream);
    Block* new_segment(PoolKind pool, std::int64_t size, std::int64_t stream);
    void split(Block& block, std::int64_t size);
    void give_back(Block* block);
    void join(Block& block, Block* neighbour);
    void free_passed();
    void free_waiting();

    const seam::Gpu* gpu_;
    std::int32_t device_;
    std::array<Free, 2> free_;
    std::map<char*, Block*> segments_;
    std::map<std::int64_t, std::list<Waiting>> waiting_;  // by stream, in the order of their places
    std::array<Counters, 3> counters_;                    // all, small, large
    std::int64_t retries_ = 0;
    std::int64_t failures_ = 0;
};

}  // namespace sim::slot
