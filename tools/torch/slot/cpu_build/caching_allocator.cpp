#include "tools/torch/slot/cpu_build/caching_allocator.hpp"

#include "tools/torch/slot/cpu_build/allocator_settings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sim::slot {

namespace {

constexpr std::int64_t mib = AllocatorSettings::mib;
constexpr std::int64_t largest_small = mib;
constexpr std::int64_t small_segment = 2 * mib;
constexpr std::int64_t least_own_segment = 10 * mib;
constexpr std::int64_t segment_grain = 2 * mib;

bool is_oversize(std::int64_t size) {
    return size >= allocator_settings().oversize;
}

bool is_split(const Block& block, std::int64_t size) {
    const std::int64_t rest = block.size - size;
    return block.pool == PoolKind::small || allocator_settings().expands ? rest >= AllocatorSettings::grain
                                                                         : !is_oversize(size) && rest > largest_small;
}

// The size that the block can grow to.
std::int64_t grown_size(const Block& block) {
    const Block* const next = block.after;
    return block.size + (next != nullptr && next->state == BlockState::hole ? next->size : 0);
}

}  // namespace

std::int64_t segment_for(std::int64_t size) {
    return size <= largest_small      ? small_segment
           : size < least_own_segment ? allocator_settings().shared_segment
                                      : (size + segment_grain - 1) / segment_grain * segment_grain;
}

CachingAllocator::CachingAllocator(const seam::Gpu& gpu, std::int32_t device) : gpu_(&gpu), device_(device) {
    if (allocator_settings().oversize != AllocatorSettings::unlimited) {
        oversize_ = allocator_settings().oversize;
    }
    if (const std::optional<double> fraction = allocator_settings().fraction) {
        limit_to(*fraction);
    }
}

void CachingAllocator::limit_to(double fraction) {
    fraction_ = fraction;
    limit_ = static_cast<std::int64_t>(fraction * static_cast<double>(gpu_->properties(device_)->memory_bytes));
}

bool CachingAllocator::collects_garbage() const {
    return limit_ && allocator_settings().garbage_threshold > 0;
}

// The smallest free block that is large enough. A block that its segment can extend counts with the size that it can
// grow to, so that blocks between used ones are taken first.
Block* CachingAllocator::found(const Request& request) {
    BlockPool& pool = *request.home;
    pool.searches += collects_garbage() ? 1 : 0;
    Block wanted{.size = request.size, .stream = request.stream};
    const auto is_there = [&](auto at) { return at != pool.free.end() && (*at)->stream == request.stream; };
    auto at = pool.free.lower_bound(&wanted);
    if (is_there(at) && (*at)->expandable != nullptr && allocator_settings().expands) {
        for (auto next = std::next(at);
             (*at)->expandable != nullptr && is_there(next) && grown_size(**next) < grown_size(**at); ++next) {
            at = next;
        }
    }
    while (is_there(at) && (*at)->expandable != nullptr && !allocator_settings().expands) {
        ++at;
    }
    if (!is_there(at)) {
        return nullptr;
    }
    Block* const block = *at;
    const bool is_too_large = is_oversize(request.size) ? block->size >= request.size + allocator_settings().most_unused
                                                        : is_oversize(block->size);
    if (is_too_large) {
        return nullptr;
    }
    pool.free.erase(at);
    return block;
}

Block* CachingAllocator::new_segment(const Request& request) {
    const std::int64_t bytes = segment_for(request.size);
    void* const address = gpu_->reserve(device_, bytes);
    if (address == nullptr) {
        return nullptr;
    }
    count(request.pool, [bytes](Counters& counters) {
        counters.segment.add(1);
        counters.reserved_bytes.add(bytes);
    });
    if (is_oversize(bytes)) {
        events_.oversize_segments.add(1);
    }
    ++events_.device_allocations;
    return new Block{.address = static_cast<char*>(address),
                     .size = bytes,
                     .stream = request.stream,
                     .device = device_,
                     .pool = request.pool,
                     .home = request.home};
}

Block* CachingAllocator::reserved(const Request& request) {
    if (limit_ && all().reserved_bytes.current + segment_for(request.size) > *limit_) {
        return nullptr;
    }
    return allocator_settings().expands ? grown(request) : new_segment(request);
}

Block* CachingAllocator::allocate(std::int64_t bytes, std::int64_t stream) {
    free_passed();
    const std::int64_t size = allocator_settings().rounded(bytes);
    const PoolKind kind = size <= largest_small ? PoolKind::small : PoolKind::large;
    const Request request{kind, &pool_for(kind, stream), size, stream};
    Block* block = found(request);
    if (block == nullptr) {
        collect_garbage();
        block = reserved(request);
    }
    if (block == nullptr && release_oversize(request)) {
        block = reserved(request);
    }
    if (block == nullptr && filled_ == 0) {
        empty_cache();
        ++events_.retries;
        block = reserved(request);
    }
    if (block == nullptr) {
        ++events_.failures;
        return nullptr;
    }
    return hand_out(block, request, bytes);
}

// Free parts of an expandable segment do not count as inactive splits, because their pages can go back.
Block* CachingAllocator::hand_out(Block* block, const Request& request, std::int64_t bytes) {
    const bool was_split = !block->is_whole_segment();
    const bool splits = is_split(*block, request.size);
    if (splits) {
        block->state = BlockState::free;
        block->home->insert(*BlockPool::cut(*block, request.size));
    }
    block->state = BlockState::used;
    block->requested = bytes;
    if (is_oversize(block->size)) {
        events_.oversize_allocations.add(1);
    }
    count(request.pool, [=](Counters& counters) {
        if (block->expandable == nullptr && splits && !was_split) {
            counters.inactive_split.add(1);
            counters.inactive_split_bytes.add(block->after->size);
        } else if (block->expandable == nullptr && was_split) {
            counters.inactive_split.take(splits ? 0 : 1);
            counters.inactive_split_bytes.take(block->size);
        }
        counters.allocation.add(1);
        counters.allocated_bytes.add(block->size);
        counters.active.add(1);
        counters.active_bytes.add(block->size);
        counters.requested_bytes.add(block->requested);
    });
    return block;
}

void CachingAllocator::free(Block* block) {
    count(block->pool, [block](Counters& counters) {
        counters.allocation.take(1);
        counters.allocated_bytes.take(block->size);
    });
    if (is_oversize(block->size)) {
        events_.oversize_allocations.take(1);
    }
    if (block->users.empty()) {
        give_back(block);
    } else if (filled_ > 0) {
        // A capture does not allow recording a place now.
        freed_meanwhile_.push_back(block);
    } else {
        wait_for_users(block);
    }
}

void CachingAllocator::wait_for_users(Block* block) {
    for (const std::int64_t stream : std::exchange(block->users, {})) {
        const seam::Mark mark = gpu_->record({device_, stream});
        ++block->marks;
        waiting_[stream].push_back({mark, block});
    }
}

void CachingAllocator::record(Block* block, std::int64_t stream) {
    if (stream != block->stream) {
        block->users.insert(stream);
    }
}

void CachingAllocator::give_back(Block* block) {
    const std::int64_t size = block->size;
    const std::int64_t requested = std::exchange(block->requested, 0);
    block->state = BlockState::free;
    BlockPool& pool = *block->home;
    std::int64_t split_blocks = 0;
    std::int64_t split_bytes = 0;
    for (Block* const neighbour : {block->before, block->after}) {
        const std::int64_t joined = pool.join(*block, neighbour);
        split_blocks -= joined > 0 ? 1 : 0;
        split_bytes -= joined;
    }
    pool.insert(*block);
    if (!block->is_whole_segment()) {
        split_blocks += 1;
        split_bytes += block->size;
    }
    count(block->pool, [=](Counters& counters) {
        if (block->expandable == nullptr) {
            counters.inactive_split.change(split_blocks);
            counters.inactive_split_bytes.change(split_bytes);
        }
        counters.active.take(1);
        counters.active_bytes.take(size);
        counters.requested_bytes.take(requested);
    });
}

void CachingAllocator::free_passed() {
    if (filled_ > 0) {
        return;
    }
    for (Block* const block : std::exchange(freed_meanwhile_, {})) {
        wait_for_users(block);
    }
    for (auto& [stream, places] : waiting_) {
        while (!places.empty() && gpu_->has_passed(places.front().mark) == 1) {
            const Waiting passed = places.front();
            places.pop_front();
            gpu_->forget(passed.mark);
            if (--passed.block->marks == 0) {
                give_back(passed.block);
            }
        }
    }
}

// Makes the host wait for all blocks that other streams still use, and frees them.
void CachingAllocator::free_waiting() {
    free_passed();
    ++events_.waits_for_streams;
    for (auto& [stream, places] : waiting_) {
        for (const Waiting& each : std::exchange(places, {})) {
            gpu_->synchronize_mark(each.mark);
            gpu_->forget(each.mark);
            if (--each.block->marks == 0) {
                give_back(each.block);
            }
        }
    }
}

BlockPool& CachingAllocator::pool_for(PoolKind kind, std::int64_t stream) {
    for (auto& [id, own] : own_pools_) {
        if (own.is_its_stream && own.is_its_stream({device_, stream})) {
            return pool_of(own.pools, kind);
        }
    }
    return pool_of(kind);
}

void CachingAllocator::begin_pool(PoolId pool, std::function<bool(seam::Stream)> is_its_stream) {
    OwnPools& own = own_pools_[pool];
    own.is_its_stream = std::move(is_its_stream);
    ++own.users;
    ++filled_;
}

void CachingAllocator::end_pool(PoolId pool) {
    own_pools_.at(pool).is_its_stream = {};
    --filled_;
}

void CachingAllocator::release_pool(PoolId pool) {
    --own_pools_.at(pool).users;
}

void CachingAllocator::reset_peaks() {
    for (Counters& counters : counters_) {
        for (Counter* const counter : counters.all()) {
            counter->peak = counter->current;
        }
    }
    for (Counter* const counter : {&events_.oversize_allocations, &events_.oversize_segments}) {
        counter->peak = counter->current;
    }
}

void CachingAllocator::reset_accumulated() {
    for (Counters& counters : counters_) {
        for (Counter* const counter : counters.all()) {
            counter->allocated = counter->freed = 0;
        }
    }
    Events now;
    now.oversize_allocations = {.current = events_.oversize_allocations.current,
                                .peak = events_.oversize_allocations.peak};
    now.oversize_segments = {.current = events_.oversize_segments.current, .peak = events_.oversize_segments.peak};
    events_ = now;
}

}  // namespace sim::slot
