// Growing and shrinking the caching allocator's expandable segments.
#include "tools/torch/slot/cpu_build/allocator_settings.hpp"
#include "tools/torch/slot/cpu_build/caching_allocator.hpp"

#include <algorithm>

namespace sim::slot {

namespace {

constexpr std::int64_t small_page = 2 * AllocatorSettings::mib;

// Whether this many adjacent bytes are free or without memory from this block on.
bool has_room(const Block* block, std::int64_t bytes) {
    while (bytes > 0 && block != nullptr && block->state != BlockState::used) {
        bytes -= block->size;
        block = block->after;
    }
    return bytes <= 0;
}

}  // namespace

// The first of adjacent blocks, free or without memory, that are large enough together, at the lowest address. Begins
// a new segment if there are none.
Block* CachingAllocator::room_for(const Request& request) {
    BlockPool& pool = *request.home;
    Block lowest{.stream = request.stream};
    for (auto at = pool.holes.lower_bound(&lowest); at != pool.holes.end() && (*at)->stream == request.stream; ++at) {
        Block* const before = (*at)->before;
        Block* const first = before != nullptr && before->state != BlockState::used ? before : *at;
        if (has_room(first, request.size)) {
            return first;
        }
    }
    const std::int64_t page = request.pool == PoolKind::small ? small_page : allocator_settings().shared_segment;
    auto* const segment = new ExpandableSegment(*gpu_, {device_, request.stream, page});
    auto* const hole = new Block{.address = segment->address(),
                                 .size = segment->bytes(),
                                 .stream = request.stream,
                                 .device = device_,
                                 .pool = request.pool,
                                 .home = request.home,
                                 .state = BlockState::hole,
                                 .expandable = segment};
    pool.insert(*hole);
    return hole;
}

// Gives memory to the beginning of a hole, which then becomes free and joins its free neighbours. Returns false if the
// GPU is full.
bool CachingAllocator::fill(Block& hole, std::int64_t bytes) {
    const std::int64_t taken = hole.expandable->take(hole.address, bytes);
    if (taken == 0) {
        return false;
    }
    BlockPool& pool = *hole.home;
    pool.erase(hole);
    if (taken < hole.size) {
        pool.insert(*BlockPool::cut(hole, taken));
    }
    hole.state = BlockState::free;
    pool.join(hole, hole.before);
    pool.join(hole, hole.after);
    pool.insert(hole);
    count(hole.pool, [taken](Counters& counters) { counters.reserved_bytes.add(taken); });
    ++events_.device_allocations;
    return true;
}

Block* CachingAllocator::grown(const Request& request) {
    Block* block = room_for(request);
    if (block->state == BlockState::hole && !fill(*block, std::min(block->size, request.size))) {
        return nullptr;
    }
    while (block->size < request.size) {
        Block* const hole = block->after;
        if (!fill(*hole, std::min(request.size - block->size, hole->size))) {
            return nullptr;
        }
        block = hole;
    }
    block->home->erase(*block);
    return block;
}

// Turns the whole pages of a free block into a hole, and deletes a segment that is nothing but a hole.
void CachingAllocator::shrink(Block* block) {
    const ExpandableSegment::Stretch lost = block->expandable->give_back(block->address, block->size);
    if (lost.bytes == 0) {
        return;
    }
    BlockPool& pool = *block->home;
    pool.erase(*block);
    if (lost.begin > block->address) {
        Block* const rest = BlockPool::cut(*block, lost.begin - block->address);
        pool.insert(*block);
        block = rest;
    }
    if (lost.bytes < block->size) {
        pool.insert(*BlockPool::cut(*block, lost.bytes));
    }
    block->state = BlockState::hole;
    pool.join(*block, block->before);
    pool.join(*block, block->after);
    count(block->pool, [lost](Counters& counters) { counters.reserved_bytes.take(lost.bytes); });
    ++events_.device_frees;
    if (block->is_whole_segment()) {
        delete block->expandable;
        delete block;
    } else {
        pool.insert(*block);
    }
}

}  // namespace sim::slot
