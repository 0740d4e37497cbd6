// This header defines the memory that a rank process shares with its supervisor. It has no name, so nothing is left
// behind and no other process can open it; and no other rank has its descriptor, so none can map it.
//
// (1) There are no locks: a process may be killed between any two instructions.
//
// (2) Each atomic has one writer, named below. Data lies between the two positions of its ring and does not change
// there.
//
// (3) Positions only grow; a position's index in its ring is its remainder.
//
// (4) The supervisor trusts nothing: it keeps its own positions, and copies data before it checks it.
#pragma once

#include "libsim/op.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sim::ranks {

// The resource whose lack ended a rank's program.
enum class Lack : std::uint32_t {
    nothing,
    memory,   // std::bad_alloc
    as_said,  // see its last words
};

inline constexpr std::uint64_t op_slots = 1024;
inline constexpr std::uint64_t stream_bytes = 64U << 10U;
inline constexpr std::uint64_t release_slots = 256;

// A one-way byte stream.
struct ByteRing {
    alignas(64) std::atomic<std::uint64_t> written;  // by the writer
    alignas(64) std::atomic<std::uint64_t> read;     // by the reader
    std::array<std::byte, stream_bytes> bytes;
};

struct RankMemory {
    // Written by the rank.
    alignas(64) std::atomic<std::uint64_t> ops_written;
    std::atomic<std::uint32_t> sleeping;  // 1: waits on `bell`
    std::atomic<std::uint64_t> releases_read;
    std::atomic<double> share_done;     // progress of its program, as reported
    std::array<char, 1024> last_words;  // message of its exception, zero-terminated
    std::atomic<Lack> lack;             // if it ended for want of a resource

    // Written by the supervisor.
    alignas(64) std::atomic<std::uint64_t> ops_read;
    std::atomic<std::uint64_t> answers;     // number of questions answered
    std::atomic<std::int64_t> answer_time;  // of the last answer
    std::atomic<std::uint64_t> answer_bytes;
    std::atomic<std::uint64_t> answer_place;  // its payload's place in the arenas, from 1; 0: it comes through `in`
    std::atomic<std::uint64_t> releases_written;
    std::atomic<std::uint32_t> bell;  // a futex; changes whenever the rank should look

    alignas(64) std::array<Op, op_slots> ops;
    std::array<std::uint64_t, release_slots> releases;  // offsets of arena blocks that the rank may reuse
    ByteRing out;                                       // rank to supervisor: payloads, before their ops
    ByteRing in;                                        // supervisor to rank: payloads, before their answers
};

// The supervisor's own word, which ranks can only read: 1 while it sleeps and needs to be woken.
struct SupervisorMemory {
    alignas(64) std::atomic<std::uint32_t> asleep;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

// Ops that only travel between a rank and its supervisor and never reach the kernel.
inline constexpr auto define_label = static_cast<OpKind>(64);  // bytes: of payload, the text of the next label
inline constexpr auto define_group = static_cast<OpKind>(65);  // tag: its communicator; bytes: of payload, int32 ranks
inline constexpr auto hand_in = static_cast<OpKind>(66);       // label: a report's name; bytes: of payload, doubles
inline constexpr auto lay_out = static_cast<OpKind>(67);  // amount, bytes: the block of its arena with the next payload

}  // namespace sim::ranks
