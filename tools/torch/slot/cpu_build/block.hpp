// Blocks of the caching allocator, and pools of the free ones.
#pragma once

#include "tools/torch/slot/cpu_build/expandable_segment.hpp"

#include <cstdint>
#include <set>

namespace sim::slot {

enum class PoolKind : std::uint8_t { small, large };

// A hole is a stretch of an expandable segment without memory.
enum class BlockState : std::uint8_t { used, free, hole };

struct BlockPool;

// A stretch of a segment. The blocks of a segment are adjacent.
struct Block {
    char* address = nullptr;
    std::int64_t size = 0;
    std::int64_t requested = 0;
    std::int64_t stream = 0;
    std::int32_t device = 0;
    PoolKind pool = PoolKind::small;
    BlockPool* home = nullptr;  // the pool that it is in when free
    BlockState state = BlockState::used;
    ExpandableSegment* expandable = nullptr;
    Block* before = nullptr;  // before and after are its neighbours in the segment
    Block* after = nullptr;
    std::set<std::int64_t> users = {};  // other streams that use it
    std::size_t marks = 0;              // places that streams must pass before it is free
    std::int64_t free_since = 0;        // its pool's `searches` when it became free

    bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

// The free blocks and holes of one kind, for all streams. A block's key does not change while it is in the pool.
struct BlockPool {
    struct Smaller {
        bool operator()(const Block* left, const Block* right) const;
    };
    struct Lower {
        bool operator()(const Block* left, const Block* right) const;
    };
    std::set<Block*, Smaller> free;
    std::set<Block*, Lower> holes;
    std::int64_t searches = 0;  // counted only if garbage collection is on

    // Inserts the block as free block or hole, by its state.
    void insert(Block& block);
    void erase(Block& block);
    // The block keeps its first `size` bytes. Returns the rest as a new block of the same state, which is not in the
    // pool.
    static Block* cut(Block& block, std::int64_t size);
    // Joins the neighbour, which is in the pool, if it has the block's state. Returns the bytes added, or 0.
    std::int64_t join(Block& block, Block* neighbour);
};

}  // namespace sim::slot
