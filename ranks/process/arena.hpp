// An arena holds the long payloads of one rank where every rank can read them: the sender copies its data into its own
// arena, the receiver copies it out, and the supervisor passes on only the location.
//
// Each arena is separate memory that its rank creates with its first long payload and lends to all through the
// supervisor. No other rank can write to it, whatever it does with its descriptor. Pages are allocated when touched;
// blocks are taken from the lowest free place, so the memory in use stays small. If the machine does not provide such
// memory, or an arena is full, payloads go through the streams.
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

// Shorter payloads go through the streams, which takes fewer steps.
inline constexpr std::size_t long_payload = 16U << 10U;

// The location of a block for all readers: each arena has its share of one number range.
class Places {
public:
    explicit Places(std::size_t bytes_each) : bytes_each_(bytes_each) {}

    // For each rank; 0: there are no arenas.
    std::size_t bytes_each() const { return bytes_each_; }
    std::size_t of(const Block& block) const {
        return static_cast<std::size_t>(block.rank) * bytes_each_ + block.offset;
    }
    int rank_of(std::size_t place) const { return static_cast<int>(place / bytes_each_); }
    std::size_t offset_of(std::size_t place) const { return place % bytes_each_; }

private:
    std::size_t bytes_each_;
};

// The arena size for each of `ranks` ranks, at most `most`; 0: this machine cannot seal memory.
std::size_t arena_bytes(int ranks, std::size_t most);

// An arena as its rank creates it. Empty if the machine refuses.
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
    // Takes a descriptor from a rank: its arena, or something else, which is dropped.
    void given(int rank, int descriptor);
    // Whether the rank has one; checks its line if none is known.
    bool has(int rank);
    // From now on, `to` can read the arena of `of`. False: it cannot, and needs a copy. Requires: has(of).
    bool lend(int to, int of);
    // Requires: has(block.rank); the block lies within its arena. Throws std::bad_alloc if it cannot be mapped.
    std::span<const std::byte> bytes(const Block& block);

private:
    struct Arena {
        Descriptor memory;
        Mapping mapping;            // set once the supervisor itself has read it
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

    // The rank's own arena, created on the first call; null if the machine refuses.
    std::byte* own();
    // The machine does not provide what it takes to read another arena; the message gives the reason.
    struct Refused : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    // A place in another rank's arena, once that has been lent. Throws Refused, or std::runtime_error if the supervisor
    // is gone.
    const std::byte* at(std::size_t place);

private:
    const Mapping& await(int rank);

    int rank_;
    Places places_;
    LineEnd line_;
    bool asked_ = false;  // its own arena was requested
    Mapping own_;
    std::unordered_map<int, Mapping> others_;  // readable arenas of other ranks
};

// The parts of the rank's own arena that are in use; only the rank knows them.
class ArenaBlocks {
public:
    explicit ArenaBlocks(std::size_t bytes) {
        if (bytes > 0) {
            free_.emplace(0, bytes);
        }
    }

    // The lowest place that has room; empty: none.
    std::optional<std::size_t> allocate(std::size_t size);
    // Requires: `offset` came from allocate().
    void release(std::size_t offset);

private:
    std::map<std::size_t, std::size_t> free_;  // size by offset; free blocks are never adjacent
    std::map<std::size_t, std::size_t> used_;
};

// Data that members contributed to a collective goes to a rank as a table, followed by the payloads that are in no
// arena. The table begins with its number of rows, as 64 bits.
struct GatheredRow {
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  // in the arenas, from 1; 0: after the table, in row order
};

}  // namespace sim::ranks
