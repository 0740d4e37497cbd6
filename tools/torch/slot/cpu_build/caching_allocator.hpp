// The caching allocator of one simulated GPU, by the rules of PyTorch's own for CUDA, for a build of PyTorch without
// one.
//
// Sizes are rounded up to 512 B. A request of up to 1 MiB is served from segments of 2 MiB, one below 10 MiB from
// segments of 20 MiB; a larger one gets its own segment, rounded up to 2 MiB. The allocator takes the smallest free
// block of the request's stream that is large enough, the lowest address in a tie, and splits it if 512 B (small) or
// more than 1 MiB (large) would remain. A freed block joins its free neighbours and stays reserved; a block that other
// streams use is free once these have passed the place at which it was freed. When the GPU is full, completely free
// segments go back to it. If segments are expandable, each stream and kind has a single segment that grows by pages of
// 2 MiB or 20 MiB at the lowest address with room for a request, and whole free pages go back. allocator_settings.hpp
// has the settings that a program may change. Source: c10/cuda/CUDACachingAllocator.cpp; a build for CUDA shows the
// same statistics for the same script.
//
// Cost: a binary search in the free blocks; to grow, a walk over the holes. Not thread-safe.
#pragma once

#include "tools/torch/seam.hpp"
#include "tools/torch/slot/cpu_build/block.hpp"
#include "tools/torch/slot/cpu_build/counters.hpp"
#include "tools/torch/slot/device.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <vector>

namespace sim::slot {

class CachingAllocator {
public:
    CachingAllocator(const seam::Gpu& gpu, std::int32_t device);
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    // Null if the GPU is full. Requires: bytes > 0.
    Block* allocate(std::int64_t bytes, std::int64_t stream);
    void free(Block* block);
    // Notes that this stream also uses the block, which belongs to a tensor.
    void record(Block* block, std::int64_t stream);
    void empty_cache();

    // A private pool, as graphs have, for what these streams allocate between begin_pool and end_pool. Its memory goes
    // back to the GPU when it has been released as often as it was begun.
    void begin_pool(PoolId pool, std::function<bool(seam::Stream)> is_its_stream);
    void end_pool(PoolId pool);
    void release_pool(PoolId pool);

    // Limits reserved memory to this fraction of the GPU's memory from now on.
    void limit_to(double fraction);
    double fraction() const { return fraction_; }
    // None: all of the GPU's memory.
    std::optional<std::int64_t> limit() const { return limit_; }

    // The value of `oversize` when the allocator was made, for the statistics; -1: none.
    std::int64_t oversize() const { return oversize_; }

    Counters& all() { return counters_[0]; }
    Counters& of(PoolKind pool) { return counters_[pool == PoolKind::small ? 1 : 2]; }
    const Events& events() const { return events_; }
    void reset_peaks();
    void reset_accumulated();

private:
    using Pools = std::array<BlockPool, 2>;  // small, large
    struct OwnPools {
        Pools pools;
        int users = 0;
        std::function<bool(seam::Stream)> is_its_stream = {};  // empty: the pool is not being filled
    };
    struct Request {
        PoolKind pool = PoolKind::small;
        BlockPool* home = nullptr;
        std::int64_t size = 0;
        std::int64_t stream = 0;
    };
    struct Waiting {
        seam::Mark mark;
        Block* block;
    };

    BlockPool& pool_of(PoolKind kind) { return pool_of(pools_, kind); }
    static BlockPool& pool_of(Pools& pools, PoolKind kind) { return pools[kind == PoolKind::small ? 0 : 1]; }
    BlockPool& pool_for(PoolKind kind, std::int64_t stream);
    template <class Change>
    void count(PoolKind pool, Change change) {
        change(counters_[0]);
        change(of(pool));
    }
    bool collects_garbage() const;

    Block* found(const Request& request);
    Block* reserved(const Request& request);
    Block* new_segment(const Request& request);
    Block* hand_out(Block* block, const Request& request, std::int64_t bytes);
    void give_back(Block* block);

    // Expandable segments.
    Block* grown(const Request& request);
    Block* room_for(const Request& request);
    bool fill(Block& hole, std::int64_t bytes);
    void shrink(Block* block);

    // These return segments to the GPU.
    void release(Block* segment);
    void release_free(BlockPool& pool);
    bool release_oversize(const Request& request);
    void collect_garbage();

    void wait_for_users(Block* block);
    void free_passed();
    void free_waiting();

    const seam::Gpu* gpu_;
    std::int32_t device_;
    std::int64_t oversize_ = -1;
    double fraction_ = 1;
    std::optional<std::int64_t> limit_;
    Pools pools_;
    std::map<PoolId, OwnPools> own_pools_;
    int filled_ = 0;                                      // number of pools being filled
    std::vector<Block*> freed_meanwhile_;                 // freed during a capture, while other streams use them
    std::map<std::int64_t, std::list<Waiting>> waiting_;  // by stream, in the order of their places
    std::array<Counters, 3> counters_;                    // all, small, large
    Events events_;
};

// The size of the segment reserved for a request of this many bytes, if segments are not expandable.
std::int64_t segment_for(std::int64_t size);

}  // namespace sim::slot
