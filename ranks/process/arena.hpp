// An arena holds the long payloads of one rank where every rank can read them: the sender copies its data into its own
// arena, the receiver copies it out, and the supervisor passes on no more than the place.
//
// Each arena is memory of its own, which its rank makes with its first long payload and lends to all through the
// supervisor. Nobody else can write it, whatever it does with its descriptor. Pages are taken as they are touched;
// blocks are given out from the lowest place, so what is in use stays small. Where the machine gives no such memory, or
// an arena is full, payloads go through the streams.
#pragma once

#include "ranks/host/payloads.hpp"
#include "ranks/process/lines.hpp"
#include "ranks/process/sealed_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace sim::ranks {

// Shorter payloads go through the streams, which costs them fewer steps.
inline constexpr std::size_t long_payload = 16U << 10U;

// Where a block is, for all who read it: each arena has its share of one range of numbers.
class Places {
public:
    explicit Places(std::size_t bytes_each) : bytes_each_(bytes_each) {}

    // Of each rank; 0: there are no arenas.
    std::size_t bytes_each() const { return bytes_each_; }
    std::size_t of(const Block& block) const {
        return static_cast<std::size_t>(block.rank) * bytes_each_ + block.offset;
    }
    int rank_of(std::size_t place) const { return static_cast<int>(place / bytes_each_); }
    std::size_t offset_of(std::size_t place) const { return place % bytes_each_; }

private:
    std::size_t bytes_each_;
};

// So much for each of so many ranks, and no more than `most`; 0: this machine cannot seal memory.
std::size_t arena_bytes(int ranks, std::size_t most);

// An arena as its rank makes it. Empty where the machine refuses.
struct NewArena {
    Descriptor descriptor;
    Mapping mapping;
};
std::optional<NewArena> make_arena(std::size_t bytes);

// The arenas as the supervisor knows them.
class Arenas {
public:
    Arenas(int ranks, std::size_t bytes_each, Lines& lines);

    const Places& places() const { return places_; }
    // What a rank has given: its arena, or something else, which is dropped.
    void given(int rank, int descriptor);
    // Whether the rank has one; looks at its line if none is known.
    bool has(int rank);
    // From now on, `to` can read the arena of `of`. False: it cannot, and needs a copy. Requires: has(of).
    bool lend(int to, int of);
    // Requires: has(block.rank); the block lies within its arena. Throws std::bad_alloc where it cannot be mapped.
    std::span<const std::byte> bytes(const Block& block);

private:
    struct Arena {
        Descriptor memory;
        Mapping mapping;            // once the supervisor itself has read it
        std::vector<bool> lent_to;  // by rank
    };
    Arena& of(int rank) { return all_[static_cast<std::size_t>(rank)]; }

    Places places_;
    Lines* lines_;
    std::vector<Arena> all_;
};

// The arenas as a rank knows them.
class RankArenas {
public:
    RankArenas(int rank, std::size_t bytes_each, LineEnd line);

    // Its own, made when it is first asked for; null where the machine refuses.
    std::byte* own();
    // The machine does not give what it takes to read another's: says what, and why.
    struct Refused : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    // Another's, once it has been lent. Throws Refused, or std::runtime_error where the supervisor is gone.
    const std::byte* at(std::size_t place);

private:
    const Mapping& await(int rank);

    int rank_;
    Places places_;
    LineEnd line_;
    bool asked_ = false;  // for its own
    Mapping own_;
    std::unordered_map<int, Mapping> others_;  // which it can read
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
