#include "tools/torch/slot/cpu_build/block.hpp"

#include <tuple>

namespace sim::slot {

bool BlockPool::Smaller::operator()(const Block* left, const Block* right) const {
    return std::tie(left->stream, left->size, left->address) < std::tie(right->stream, right->size, right->address);
}

bool BlockPool::Lower::operator()(const Block* left, const Block* right) const {
    return std::tie(left->stream, left->address) < std::tie(right->stream, right->address);
}

void BlockPool::insert(Block& block) {
    if (block.state == BlockState::hole) {
        holes.insert(&block);
    } else {
        block.free_since = searches;
        free.insert(&block);
    }
}

void BlockPool::erase(Block& block) {
    if (block.state == BlockState::hole) {
        holes.erase(&block);
    } else {
        free.erase(&block);
    }
}

Block* BlockPool::cut(Block& block, std::int64_t size) {
    auto* const rest = new Block{.address = block.address + size,
                                 .size = block.size - size,
                                 .stream = block.stream,
                                 .device = block.device,
                                 .pool = block.pool,
                                 .home = block.home,
                                 .state = block.state,
                                 .expandable = block.expandable,
                                 .before = &block,
                                 .after = block.after};
    if (rest->after != nullptr) {
        rest->after->before = rest;
    }
    block.after = rest;
    block.size = size;
    return rest;
}

std::int64_t BlockPool::join(Block& block, Block* neighbour) {
    if (neighbour == nullptr || neighbour->state != block.state) {
        return 0;
    }
    erase(*neighbour);
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
    const std::int64_t bytes = neighbour->size;
    block.size += bytes;
    delete neighbour;
    return bytes;
}

}  // namespace sim::slot
