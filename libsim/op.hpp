// An op is one small value that a rank program hands to the kernel. It is all that the two sides share.
//
// A rank program is a stream of ops, which the kernel replays in simulated time. An op that returns nothing to the
// program is posted and never answered; one with `answer` set is an observation, and the rank waits for it.
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/units.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sim {

enum class OpKind : std::uint8_t {
    compute,     // label, amount (units or FLOPs), tag: purpose, a number the program chooses
    send,        // label, peer, tag, amount, bytes (of payload; 0: time only)
    receive,     // label, peer, tag, amount (-1: any), bytes (of payload; 0: none wanted)
    wait,        // amount: index of this rank's asynchronous op, from 0; bytes: of payload wanted
    record,      // marks a position in a stream as an asynchronous op, which ends when the stream reaches it
    allocate,    // label, amount of GPU memory (negative: freed); costs no time
    collective,  // label, group, collective, amount, peer (root), one op that the kernel costs as a whole
    enter,       // like collective, at no cost: a collective made of messages begins; members must agree
    log,         // label: the text
    look,        // an observation: peer (any_source), tag, amount: longest time to wait for a message, 0: do not wait
    test,   // an observation: amount: whether this asynchronous op of the rank has ended; tag: a TestOf, bytes: its
            // time
    bring,  // bytes (of payload; 0: none), amount 1: will take the data of all; data for the rank's next collective
    take,   // an observation: amount: index of the rank's own bring, from 0; all data of that collective's members
    idle,   // amount: a time in picoseconds, before which the program does not resume
    issue,  // amount: the time at which other streams get the ops that follow, wherever the program is; -1: no longer
    // label, tag: steps of the program that are done, amount: how long the program, or its stream, stands still,
    // peer 1: hands over its state, 0: does not, bytes (of the state)
    checkpoint,
    forget,  // amount: an asynchronous op that will never be joined: a mark or a computation
    now,     // an observation
    finish,  // the program has returned; waits for the rank's unfinished ops
};

enum class CollectiveKind : std::uint8_t {
    barrier,
    broadcast,
    all_gather,
    reduce_scatter,
    all_reduce,
    reduce,
    gather,
    scatter,
    all_to_all
};

// The stream of an op. Ops on one stream run in program order; ops on different streams run concurrently. `main` is the
// program itself; 1, 2, … compute and communicate beside it.
enum class Stream : std::uint8_t {
    main = 0,
    own = 255,  // an asynchronous op: starts now, joined by wait
};

inline constexpr int most_streams = 62;

// The streams of a collective's channels 1, 2, …, numbered after those that programs can name: 31 for each of the
// streams 0 … 5. Requires: 0 <= of <= most_stream_with_channels, 1 <= channel <= 31.
inline constexpr int most_stream_with_channels = 5;
inline constexpr int channels_beside = 31;
inline constexpr int last_channel_stream = most_streams + 1 + channels_beside * (most_stream_with_channels + 1);
constexpr Stream stream_of_channel(Stream of, int channel) {
    return static_cast<Stream>(most_streams + 1 + channels_beside * static_cast<int>(of) + channel);
}
static_assert(last_channel_stream < static_cast<int>(Stream::own));

enum class Reduction : std::uint8_t { sum, average, max };

// Op::amount of a look that waits for a message however long it takes.
inline constexpr std::int64_t until_there = INT64_MAX;

// Op::tag of a test.
enum class TestOf : std::int32_t {
    one,              // by the program's own time
    several,          // one of several, named one after another; only the last of them is the observation
    last_of_several,  // waits until the first of them has ended, and returns which
    end_of_one,       // waits until its end is known, and returns it
    one_by,           // by the time in Op::bytes, in picoseconds
};

// Op::bytes of a receive that accepts a payload of any length.
inline constexpr std::uint64_t any_bytes = UINT64_MAX;

// An interned text, numbered from 0 (the empty text) by the host of the rank.
enum class Label : std::uint32_t { none = 0 };

// A group of ranks, numbered by the host of the rank; 0 is the world.
enum class GroupId : std::uint32_t { world = 0 };

struct Op {
    OpKind kind = OpKind::now;
    Measure measure = Measure::bytes;
    Stream stream = Stream::main;
    bool answer = false;  // the rank waits until the kernel has finished this op
    Label label = Label::none;
    std::int32_t peer = -1;
    std::int32_t tag = 0;  // collective, enter: the algorithm's PackedParameters
    std::int64_t amount = 0;
    std::uint64_t bytes = 0;  // of payload; collective, enter: a CollectiveWord
};
static_assert(sizeof(Op) == 32 && std::is_trivially_copyable_v<Op>);

// The rest of what the members of a collective must agree on; stored in Op::bytes.
struct CollectiveWord {
    GroupId group = GroupId::world;
    CollectiveKind kind = CollectiveKind::barrier;
    Reduction reduction = Reduction::sum;
    std::uint8_t element_size = 0;  // 0: no data
    Algorithm algorithm = Algorithm::ring;
    friend bool operator==(const CollectiveWord&, const CollectiveWord&) = default;
};
inline bool is_asynchronous(const Op& op) {
    return op.stream == Stream::own;
}
// A checkpoint without state and time: it only reports the end of a step, and does not count as an op.
inline bool only_tells_of_step(const Op& op) {
    return op.kind == OpKind::checkpoint && op.peer == 0 && op.amount == 0;
}
inline bool is_test(const Op& op, TestOf of) {
    return op.kind == OpKind::test && op.tag == static_cast<std::int32_t>(of);
}
// A test that only names one of several ops does not count as an op either.
inline bool names_one_of_several(const Op& op) {
    return is_test(op, TestOf::several);
}
inline bool asks_for_end(const Op& op) {
    return is_test(op, TestOf::end_of_one) || is_test(op, TestOf::one_by);
}
inline bool waits_for_first(const Op& op) {
    return is_test(op, TestOf::last_of_several);
}
constexpr bool needs_root(CollectiveKind kind) {
    return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce || kind == CollectiveKind::gather ||
           kind == CollectiveKind::scatter;
}
inline CollectiveWord collective_word(const Op& op) {
    return std::bit_cast<CollectiveWord>(op.bytes);
}
// The algorithm of a collective or enter op.
inline AlgorithmConfig algorithm_of(const Op& op) {
    return {collective_word(op).algorithm, unpacked(as_parameters(op.tag))};
}

const char* name_of(OpKind kind);
const char* name_of(CollectiveKind kind);
const char* name_of(Reduction reduction);

}  // namespace sim
