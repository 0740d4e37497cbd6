// Blocks of the caching allocator, and those of them that nobody has.
#pragma once

#include "tools/torch/slot/cpu_build/expandable_segment.hpp"

#include <cstdint>
#include <set>

namespace sim::slot {

enum class PoolKind : std::uint8_t { small, large };

// A hole is a stretch of an expandable segment that has no memory.
enum class BlockState : std::uint8_t { used, free, hole };

struct BlockPool;

// A stretch of a segment. The blocks of a segment are neighbours without a gap.
struct Block {
    char* address = nullptr;
    std::int64_t size = 0;
    std::int64_t requested = 0;
    std::int64_t stream = 0;
    std::int32_t device = 0;
    PoolKind pool = PoolKind::small;
    BlockPool* home = nullptr;  // where it is when nobody has it
    BlockState state = BlockState::used;
    ExpandableSegment* expandable = nullptr;
    Block* before = nullptr;  // its neighbours in the segment
    Block* after = nullptr;
    std::set<std::int64_t> users = {};  // other streams that use it
    std::size_t marks = 0;              // places that have to be passed until it is free
    std::int64_t free_since = 0;        // the searches that its pool had seen

    bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

// The free blocks and the holes of one kind, of all streams. A block's key does not change while it is in.
struct BlockPool {
    struct Smaller {
        bool operator()(const Block* left, const Block* right) const;
    };
    struct Lower {
        bool operator()(const Block* left, const Block* right) const;
    };
    std::set<Block*, Smaller> free;
    std::set<Block*, Lower> holes;
    std::int64_t searches = 0;  // counted where garbage is collected

    // As the block's state says.
    void insert(Block& block);
    void erase(Block& block);
    // The block keeps its first bytes; the rest is a block of its own, as free as it, and not in the pool.
    static Block* cut(Block& block, std::int64_t size);
    // Joins the neighbour, which is in the pool, where it is in the block's state. Returns its bytes, or 0.
    std::int64_t join(Block& block, Block* neighbour);
};

}  // namespace sim::slot
