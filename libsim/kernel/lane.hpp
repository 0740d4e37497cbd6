// One communication stream of a rank: ops that the program has issued, in order, and how far simulated time has come.
//
// The program issues an op at its own time and goes on; the op begins when all before it on the stream have ended.
// (1) The front of `waiting` is the op that the stream is in, if `blocked`, or comes to next.
// (2) Only sends, receives, collectives, waits and marks are in it: a GPU computes on its main stream alone.
#pragma once

#include "libsim/kernel/walks.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace sim {

struct Lane {
    struct Issued {
        Op op = {};
        std::uint32_t op_number = 0;
        std::uint32_t payload = 0;   // send: which of the rank's payloads
        std::int64_t handle = -1;    // record: its number among the asynchronous ops
        bool awaits_handle = false;  // wait: the op waited for is still under way
        Time from = {};              // when the program issued it; a wait: at least the end of what it waits for
    };
    struct Interval {
        Time begin;
        Time end;
    };

    Time clock = {};
    Time sends_free = {};  // LogGP: the sides of its card
    Time receives_free = {};
    bool blocked = false;
    std::optional<Time> busy_since = {};  // shared links: the front's message is under way
    Walking walking = {};
    int awaited = 0;  // how many of `waiting` await a handle
    std::deque<Issued> waiting = {};
    // When it waited for a peer to begin, and when it was busy; what the program has already waited for is forgotten.
    std::vector<Interval> idle = {};
    std::vector<Interval> busy = {};
};

// Adds a part at the end of the sorted `parts`.
void note(std::vector<Lane::Interval>& parts, Time begin, Time end);
// How much of `interval` the sorted `parts` cover.
Duration covered(const std::vector<Lane::Interval>& parts, const Lane::Interval& interval);

}  // namespace sim
