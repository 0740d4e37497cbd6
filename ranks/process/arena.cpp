#include "ranks/process/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

namespace sim::ranks {

namespace {

constexpr std::size_t most_each = 256U << 20U;
constexpr std::size_t most_in_all = std::size_t{256} << 30U;
constexpr std::size_t block_multiple = 4096;  // so that no two blocks share a page

}  // namespace

Arenas::Arenas(int ranks) {
    const std::size_t each =
        std::min(most_each, most_in_all / static_cast<std::size_t>(ranks)) / block_multiple * block_multiple;
    const std::size_t bytes = each * static_cast<std::size_t>(ranks);
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return;
    }
    madvise(mapped, bytes, MADV_DONTDUMP);
    base_ = static_cast<std::byte*>(mapped);
    bytes_each_ = each;
    size_ = bytes;
}

Arenas::~Arenas() {
    if (base_ != nullptr) {
        munmap(base_, size_);
    }
}

void Arenas::keep_own(int rank) const {
    if (base_ != nullptr) {
        mprotect(base_, size_, PROT_READ);
        mprotect(base_ + static_cast<std::size_t>(rank) * bytes_each_, bytes_each_, PROT_READ | PROT_WRITE);
    }
}

std::optional<std::size_t> ArenaBlocks::allocate(std::size_t size) {
    const std::size_t wanted = (size + block_multiple - 1) / block_multiple * block_multiple;
    const auto fits = [wanted](const auto& block) { return block.second >= wanted; };
    const auto found = std::find_if(free_.begin(), free_.end(), fits);
    if (found == free_.end()) {
        return std::nullopt;
    }
    const auto [offset, room] = *found;
    free_.erase(found);
    if (room > wanted) {
        free_.emplace(offset + wanted, room - wanted);
    }
    used_.emplace(offset, wanted);
    return offset;
}

void ArenaBlocks::release(std::size_t offset) {
    const auto used = used_.find(offset);
    if (used == used_.end()) {
        return;
    }
    auto [begin, size] = *used;
    used_.erase(used);
    const auto behind = free_.lower_bound(begin);
    if (behind != free_.end() && begin + size == behind->first) {
        size += behind->second;
        free_.erase(behind);
    }
    const auto before = free_.lower_bound(begin);
    if (before != free_.begin()) {
        const auto previous = std::prev(before);
        if (previous->first + previous->second == begin) {
            previous->second += size;
            return;
        }
    }
    free_.emplace(begin, size);
}

}  // namespace sim::ranks
