// A stream of a rank has a clock of its own and a queue of the ops that it has yet to carry out.
//
// Stream 0 is the program. It has a clock and a network card like the others, but no queue: its host supplies its next
// op. The others, 1, 2, …, carry out what the program has issued on them, in order, each by its own clock.
// (1) The front of a queue is the op that its stream is blocked in, or the next one it will reach.
// (2) Only computations, sends, receives, collectives, waits, marks and checkpoints are in a queue.
// A stream computes beside all others, the program's included: that takes none of them longer.
#pragma once

#include "libsim/kernel/ids.hpp"
#include "libsim/kernel/intervals.hpp"
#include "libsim/kernel/matching.hpp"
#include "libsim/kernel/walks.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace sim::kernel {

// The channel that was last looked up: the next is nearly always the same.
struct LastChannel {
    std::int32_t peer = -1;
    std::int32_t tag = 0;
    Matching::Channel channel = 0;
};

// The state that every stream has, the program included.
struct StreamState {
    Time clock = {};
    Time sends_free = {};     // when the sending side of its card is free
    Time receives_free = {};  // when the receiving side is; where the network times it
    LastChannel last_send = {};
    LastChannel last_receive = {};
    Walking walking = {};
};

// An op as its program issued it. The number is that of the op; a send of data also has that of its payload, a
// collective with data beside it that of DataBeside.
struct NumberedOp {
    const Op& op;
    std::uint32_t number;
    std::uint32_t payload = 0;
};

// What a wait joins, by what the time of waiting counts as: as that of the stream whose mark it is; as computing; or
// (own) as busy with messages, of a receive as idle until its sender begins.
struct Joined {
    Stream stream = Stream::own;
    bool computes = false;
    Time busy_from = {};
};

struct IssuedOp {
    Op op = {};
    std::uint32_t number = 0;
    std::uint32_t payload = 0;     // send: which of the rank's payloads; collective: which of its data beside, from 1
    AsyncId mark = AsyncId::none;  // record, Stream::aside: as which asynchronous op it is joined
    bool awaits = false;           // wait: the op waited for is still under way
    Joined joined = {};            // wait: what kind of op that is
    Time from = {};                // when the program issued it
    Time until = {};               // wait: the end of what it waits for, once it is known

    NumberedOp numbered() const { return {op, number, payload}; }
};

struct StreamQueue {
    StreamState state = {};
    bool blocked = false;
    std::optional<Time> busy_since = {};  // shared links: the front's message is under way
    int awaiting = 0;                     // how many of `waiting` await an asynchronous op
    std::deque<IssuedOp> waiting = {};
    // When it waited for a peer to begin, when it computed, and when it was busy with messages. What the program waits
    // for counts as these, so what is past by its clock is forgotten. A stream that waits for another waits for a peer,
    // and computes, as long as that one does.
    Intervals idle = {};
    Intervals computing = {};
    Intervals busy = {};
};

}  // namespace sim::kernel
