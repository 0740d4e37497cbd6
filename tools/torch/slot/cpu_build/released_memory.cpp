// Returning memory of the caching allocator to the GPU.
#include "tools/torch/slot/cpu_build/allocator_settings.hpp"
#include "tools/torch/slot/cpu_build/caching_allocator.hpp"
#include "tools/torch/slot/errors.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace sim::slot {

// cudaFree waits for all work on its device.
void CachingAllocator::release(Block* segment) {
    require(gpu_->synchronize_device(device_));
    segment->home->erase(*segment);
    count(segment->pool, [segment](Counters& counters) {
        counters.segment.take(1);
        counters.reserved_bytes.take(segment->size);
    });
    if (segment->size >= allocator_settings().oversize) {
        events_.oversize_segments.take(1);
    }
    ++events_.device_frees;
    gpu_->give_back(segment->address);
    delete segment;
}

void CachingAllocator::release_free(BlockPool& pool) {
    std::vector<Block*> whole;
    std::vector<Block*> of_expandable;
    for (Block* const block : pool.free) {
        if (block->expandable != nullptr) {
            of_expandable.push_back(block);
        } else if (block->is_whole_segment()) {
            whole.push_back(block);
        }
    }
    for (Block* const block : whole) {
        release(block);
    }
    for (Block* const block : of_expandable) {
        shrink(block);
    }
}

// Also empties the pools of deleted graphs, and only those while a pool is being filled.
void CachingAllocator::empty_cache() {
    if (filled_ == 0) {
        free_waiting();
        release_free(pool_of(PoolKind::large));
        release_free(pool_of(PoolKind::small));
    }
    for (auto& [id, own] : own_pools_) {
        if (own.users == 0) {
            release_free(pool_of(own.pools, PoolKind::small));
            release_free(pool_of(own.pools, PoolKind::large));
        }
    }
}

// Releases one oversize block that is large enough, or as many of the largest as needed, so that the request can have
// their memory. Returns false if they are not enough.
bool CachingAllocator::release_oversize(const Request& request) {
    const std::int64_t oversize = allocator_settings().oversize;
    if (oversize == AllocatorSettings::unlimited) {
        return false;
    }
    std::set<Block*, BlockPool::Smaller>& free = request.home->free;
    Block wanted{.size = std::max(request.size, oversize), .stream = request.stream};
    auto at = free.lower_bound(&wanted);
    if (at != free.end() && (*at)->stream == request.stream) {
        if ((*at)->expandable != nullptr) {
            return false;
        }
        release(*at);
        return true;
    }
    std::int64_t released = 0;
    while (released < wanted.size && at != free.begin()) {
        Block* const largest = *std::prev(at);
        if (largest->size < oversize || largest->stream != request.stream || largest->expandable != nullptr) {
            break;
        }
        released += largest->size;
        release(largest);
    }
    return released >= wanted.size;
}

// Frees large segments that have long been unused, if much memory is reserved: repeatedly those at least as old as the
// mean, measured in searches, until enough has been freed.
void CachingAllocator::collect_garbage() {
    if (!collects_garbage()) {
        return;
    }
    const BlockPool& pool = pool_of(PoolKind::large);
    const double share = allocator_settings().garbage_threshold * static_cast<double>(*limit_);
    std::int64_t wanted = all().reserved_bytes.current - static_cast<std::int64_t>(share);
    const auto age_of = [&pool](const Block* block) { return pool.searches - block->free_since; };
    std::vector<Block*> idle;
    std::copy_if(pool.free.begin(), pool.free.end(), std::back_inserter(idle),
                 [](const Block* block) { return block->expandable == nullptr && block->is_whole_segment(); });
    while (wanted > 0 && !idle.empty()) {
        std::int64_t sum = 0;
        for (const Block* const block : idle) {
            sum += age_of(block);
        }
        const double mean = static_cast<double>(sum) / static_cast<double>(idle.size());
        std::erase_if(idle, [&](Block* block) {
            const bool is_old = static_cast<double>(age_of(block)) >= mean;
            if (is_old) {
                wanted -= block->size;
                release(block);
            }
            return is_old;
        });
    }
}

}  // namespace sim::slot
