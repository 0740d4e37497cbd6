#include "tools/torch/slot/cpu_build/caching_allocator.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sim::slot {

namespace {

constexpr std::int64_t grain = 512;
constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t largest_small = mib;
constexpr std::int64_t small_segment = 2 * mib;
constexpr std::int64_t least_own_segment = 10 * mib;
constexpr std::int64_t shared_segment = 20 * mib;
constexpr std::int64_t segment_grain = 2 * mib;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t to) {
    return (bytes + to - 1) / to * to;
}

std::int64_t segment_for(std::int64_t size) {
    return size <= largest_small      ? small_segment
           : size < least_own_segment ? shared_segment
                                      : rounded_up(size, segment_grain);
}

bool is_split(PoolKind pool, std::int64_t rest) {
    return pool == PoolKind::small ? rest >= grain : rest > largest_small;
}

}  // namespace

void Counter::add(std::int64_t amount) {
    current += amount;
    allocated += amount;
    peak = std::max(peak, current);
}

void Counter::take(std::int64_t amount) {
    current -= amount;
    freed += amount;
}

std::array<Counter*, 9> Counters::all() {
    return {&allocation,      &segment,        &active,       &inactive_split,
            &allocated_bytes, &reserved_bytes, &active_bytes, &inactive_split_bytes,
            &requested_bytes};
}

bool CachingAllocator::Smaller::operator()(const Block* left, const Block* right) const {
    return std::tie(left->stream, left->size, left->address) < std::tie(right->stream, right->size, right->address);
}

Block* CachingAllocator::found(PoolKind pool, std::int64_t size, std::int64_t stream) {
    Block wanted{.size = size, .stream = stream, .pool = pool};
    Free& free = free_of(wanted);
    const auto at = free.lower_bound(&wanted);
    if (at == free.end() || (*at)->stream != stream) {
        return nullptr;
    }
    Block* const block = *at;
    free.erase(at);
    if (!block->is_whole_segment()) {
        count(pool, [block](Counters& counters) {
            counters.inactive_split.take(1);
            counters.inactive_split_bytes.take(block->size);
        });
    }
    return block;
}

Block* CachingAllocator::new_segment(PoolKind pool, std::int64_t size, std::int64_t stream) {
    const std::int64_t bytes = segment_for(size);
    void* address = gpu_->reserve(device_, bytes);
    if (address == nullptr) {
        ++retries_;
        free_waiting();
        empty_cache();
        address = gpu_->reserve(device_, bytes);
    }
    if (address == nullptr) {
        ++failures_;
        return nullptr;
    }
    auto* const block = new Block{
        .address = static_cast<char*>(address), .size = bytes, .stream = stream, .device = device_, .pool = pool};
    segments_.emplace(block->address, block);
    count(pool, [bytes](Counters& counters) {
        counters.segment.add(1);
        counters.reserved_bytes.add(bytes);
    });
    return block;
}

// The block keeps its first `size` bytes; the rest is free.
void CachingAllocator::split(Block& block, std::int64_t size) {
    auto* const rest = new Block{.address = block.address + size,
                                 .size = block.size - size,
                                 .stream = block.stream,
                                 .device = device_,
                                 .pool = block.pool,
                                 .is_free = true,
                                 .before = &block,
                                 .after = block.after};
    if (rest->after != nullptr) {
        rest->after->before = rest;
    }
    block.after = rest;
    block.size = size;
    free_of(block).insert(rest);
    count(block.pool, [rest](Counters& counters) {
        counters.inactive_split.add(1);
        counters.inactive_split_bytes.add(rest->size);
    });
}

Block* CachingAllocator::allocate(std::int64_t bytes, std::int64_t stream) {
    free_passed();
    const std::int64_t size = std::max(grain, rounded_up(bytes, grain));
    const PoolKind pool = size <= largest_small ? PoolKind::small : PoolKind::large;
    Block* block = found(pool, size, stream);
    if (block == nullptr) {
        block = new_segment(pool, size, stream);
    }
    if (block == nullptr) {
        return nullptr;
    }
    block->is_free = false;
    if (is_split(pool, block->size - size)) {
        split(*block, size);
    }
    block->requested = bytes;
    count(pool, [block](Counters& counters) {
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
    for (const std::int64_t stream : std::exchange(block->users, {})) {
        const seam::Mark mark = gpu_->record({device_, stream});
        ++block->marks;
        waiting_[stream].push_back({mark, block});
    }
    if (block->marks == 0) {
        give_back(block);
    }
}

void CachingAllocator::record(Block* block, std::int64_t stream) {
    if (stream != block->stream) {
        block->users.insert(stream);
    }
}

void CachingAllocator::join(Block& block, Block* neighbour) {
    if (neighbour == nullptr || !neighbour->is_free) {
        return;
    }
    free_of(block).erase(neighbour);
    count(block.pool, [neighbour](Counters& counters) {
        counters.inactive_split.take(1);
        counters.inactive_split_bytes.take(neighbour->size);
    });
    if (neighbour == block.before) {
        block.address = neighbour->address;
        block.before = neighbour->before;
        if (block.before != nullptr) {
            block.before->after = &block;
        }
    } else {
        block.after = neighbour->after;
        if (block.after != nullptr) {
            block.after->before = &block;
        }
    }
    block.size += neighbour->size;
    if (const auto at = segments_.find(block.address); at != segments_.end()) {
        at->second = &block;
    }
    delete neighbour;
}

void CachingAllocator::give_back(Block* block) {
    const std::int64_t size = block->size;
    const std::int64_t requested = block->requested;
    block->requested = 0;
    join(*block, block->before);
    join(*block, block->after);
    block->is_free = true;
    free_of(*block).insert(block);
    count(block->pool, [=](Counters& counters) {
        if (!block->is_whole_segment()) {
            counters.inactive_split.add(1);
            counters.inactive_split_bytes.add(block->size);
        }
        counters.active.take(1);
        counters.active_bytes.take(size);
        counters.requested_bytes.take(requested);
    });
}

void CachingAllocator::free_passed() {
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

// The host waits for all of them.
void CachingAllocator::free_waiting() {
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

void CachingAllocator::empty_cache() {
    free_waiting();
    for (Free& free : free_) {
        for (auto at = free.begin(); at != free.end();) {
            Block* const block = *at;
            if (!block->is_whole_segment()) {
                ++at;
                continue;
            }
            at = free.erase(at);
            segments_.erase(block->address);
            count(block->pool, [block](Counters& counters) {
                counters.segment.take(1);
                counters.reserved_bytes.take(block->size);
            });
            gpu_->give_back(block->address);
            delete block;
        }
    }
}

void CachingAllocator::reset_peaks() {
    for (Counters& counters : counters_) {
        for (Counter* const counter : counters.all()) {
            counter->peak = counter->current;
        }
    }
}

void CachingAllocator::reset_accumulated() {
    for (Counters& counters : counters_) {
        for (Counter* const counter : counters.all()) {
            counter->allocated = counter->freed = 0;
        }
    }
    retries_ = failures_ = 0;
}

std::vector<const Block*> CachingAllocator::segments() const {
    std::vector<const Block*> first;
    for (const auto& [address, block] : segments_) {
        first.push_back(block);
    }
    return first;
}

}  // namespace sim::slot
