// An op stream stores the ops of one rank, in program order, in blocks that never move.
//
// A vector would write everything two or three times, and touch new memory each time it grows.
#pragma once

#include "libsim/op.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace sim::replay {

class OpStream {
public:
    // Space for more ops; requires that all space before is written.
    std::span<Op> add_block() {
        const std::size_t ops = blocks_.empty() ? first_block : std::min(largest_block, 2 * blocks_.back().ops);
        blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(ops * sizeof(Op)), ops});
        return {data(blocks_.back()), ops};
    }
    // Removes `unused` ops from the end of the last block.
    void end(std::size_t unused) { blocks_.back().ops -= unused; }

    std::size_t blocks() const { return blocks_.size(); }
    std::span<Op> block(std::size_t index) { return {data(blocks_[index]), blocks_[index].ops}; }
    std::span<const Op> block(std::size_t index) const { return {data(blocks_[index]), blocks_[index].ops}; }

    friend bool operator==(const OpStream& a, const OpStream& b) {
        return std::equal(
            a.blocks_.begin(), a.blocks_.end(), b.blocks_.begin(), b.blocks_.end(), [](const Block& x, const Block& y) {
                return x.ops == y.ops && std::memcmp(x.storage.get(), y.storage.get(), x.ops * sizeof(Op)) == 0;
            });
    }

private:
    static constexpr std::size_t first_block = 64;
    static constexpr std::size_t largest_block = 2048;

    // Raw bytes, because creating an array of ops would write it.
    struct Block {
        std::unique_ptr<std::byte[]> storage;
        std::size_t ops;
    };
    static Op* data(const Block& block) { return reinterpret_cast<Op*>(block.storage.get()); }

    std::vector<Block> blocks_;
};

}  // namespace sim::replay
