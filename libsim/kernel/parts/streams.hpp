// A stream of a rank has a clock of its own and a queue of the ops that it has yet to execute.
//
// Stream 0 is the program. It has a clock and a network card like the others, but no queue: its host supplies its next
// op. The others, 1, 2, …, execute the ops that the program has issued on them, in order, each by its own clock.
// (1) The front of a queue is the op that its stream is blocked in, or the next one that it will reach.
// (2) A queue holds only computations, sends, receives, collectives, waits, marks and checkpoints.
// Computations on a stream run beside those of all other streams and of the program, and slow none of them down.
#pragma once

#include "libsim/kernel/parts/ids.hpp"
#include "libsim/kernel/parts/intervals.hpp"
#include "libsim/kernel/parts/matching.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace sim::kernel {

// Shared links: a collective in progress, executed message by message.
struct Walking {
    int channels_left = 0;
    Duration busy{0};  // of the busiest channel
    int messages = 0;  // under way, of all channels
};

// The state that every stream has, the program included.
struct StreamState {
    Time clock = {};
    Time send_port_free = {};     // when the sending side of its network card is free
    Time receive_port_free = {};  // the same for the receiving side, if the network times it
    Matching::LastChannel last_send = {};
    Matching::LastChannel last_receive = {};
    Walking walking = {};
};

// An op as its program issued it, with its number. `payload` is the payload number of a send with data, or the
// CollectiveStore number of a collective that brings data.
struct NumberedOp {
    const Op& op;
    std::uint32_t number;
    std::uint32_t payload = 0;
};

// The category that a stream's waiting time counts as: whatever `stream` did, if the op waited for is its mark;
// computing; or else (Stream::own) busy with messages.
struct Joined {
    Stream stream = Stream::own;
    bool computes = false;
};

struct IssuedOp {
    Op op = {};
    std::uint32_t number = 0;
    std::uint32_t payload = 0;  // send: index of the rank's payload; collective: number of its data beside, from 1
    AsyncId mark = {};          // record: id of the asynchronous op by which it is joined
    bool awaits = false;        // wait: the op waited for is still under way
    Joined joined = {};         // wait: category of the waiting time
    Time from = {};             // when the program issued it
    Time until = {};            // wait: the end of the op waited for, once it is known

    NumberedOp numbered() const { return {op, number, payload}; }
};

struct StreamQueue {
    StreamState state = {};
    bool blocked = false;
    std::optional<Time> busy_since = {};  // shared links: the front's message is under way
    int awaiting = 0;                     // number of ops in `waiting` that await an asynchronous op
    std::deque<IssuedOp> waiting = {};
    // Intervals in which the stream waited for a peer to begin, computed, or was busy with messages. The program's
    // waits for the stream count as these categories, so intervals before the program's clock are dropped. A stream
    // that waits for another stream is idle and computes while that one does.
    Intervals idle = {};
    Intervals computing = {};
    Intervals busy = {};
};

}  // namespace sim::kernel
