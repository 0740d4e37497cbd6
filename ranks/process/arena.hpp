// An arena holds the long payloads of one rank where every rank can read them: the sender copies its data into its own
// arena, the receiver copies it out, and the supervisor passes on no more than the place.
//
// All arenas are one mapping, made before fork(), so a place in it is the same in every process. A rank can write its
// own arena alone, and read all. Memory is taken as it is touched; blocks are given out from the lowest place, so what
// is in use stays small. Where the machine gives no such mapping, or an arena is full, payloads go through the streams.
#pragma once

#include "ranks/host/payloads.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace sim::ranks {

// Shorter payloads go through the streams, which costs them fewer steps.
inline constexpr std::size_t long_payload = 16U << 10U;

class Arenas {
public:
    // None where the machine refuses.
    explicit Arenas(int ranks);
    ~Arenas();
    Arenas(const Arenas&) = delete;
    Arenas& operator=(const Arenas&) = delete;

    // Of each rank; 0: there are none.
    std::size_t bytes_each() const { return bytes_each_; }
    // Requires: the block lies within its arena.
    std::span<std::byte> bytes(const Block& block) const { return {base_ + place_of(block), block.size}; }
    // Where the block is in the mapping.
    std::size_t place_of(const Block& block) const {
        return static_cast<std::size_t>(block.rank) * bytes_each_ + block.offset;
    }
    const std::byte* at(std::size_t place) const { return base_ + place; }
    // In the rank's process: from now on it writes no arena but its own.
    void keep_own(int rank) const;

private:
    std::byte* base_ = nullptr;
    std::size_t bytes_each_ = 0;
    std::size_t size_ = 0;
};

// Which parts of the rank's own arena are in use; known to the rank alone.
class ArenaBlocks {
public:
    explicit ArenaBlocks(std::size_t bytes) {
        if (bytes > 0) {
            free_.emplace(0, bytes);
        }
    }

    // The lowest place that has room; empty: none has.
    std::optional<std::size_t> allocate(std::size_t size);
    // Requires: allocate() gave it.
    void release(std::size_t offset);

private:
    std::map<std::size_t, std::size_t> free_;  // size by offset; none touches another
    std::map<std::size_t, std::size_t> used_;
};

}  // namespace sim::ranks
