// run() executes a schedule under LogGP as LogGOPSim does, and yields the same integers.
//
// A rank has CPUs and NICs, each with a clock; a NIC has one for sending and one for receiving. w = bytes - 1 (0 for an
// empty message), with costs rounded up if G or O is a fraction. An operation begins when those that it waits for have
// ended (requires) or begun (irequires), but learns of that only through the clocks that it uses itself.
//
//   calc c        begins when its CPU is free; CPU + c
//   send          begins at t, when its CPU and its NIC's sending side are free
//     CPU         t + o + w O              sending side  t + g + w G
//     its first byte arrives at t + o + L, without w O and w G
//   receive       begins when its CPU is free, and then waits for its message, or finds it
//   a message     is taken at a, when it has come and the CPU and receiving side of the same numbers are free there:
//     CPU         a + o + w max(O, G)      receiving side  a + g + w G
//
// Charge::arrival: a message is taken, and paid for, whether or not a receive waits for it; a receive that comes later
// ends at once, at no cost. Charge::match: a message is taken only once there is a receive, on the receive's CPU and
// NIC; this is what rank programs pay on a LogGP network (libsim/network/loggp.hpp). A send of up to S bytes ends when
// its CPU is free; a longer one when its message meets its receive, and the sender's clocks then advance to that time
// if they were behind.
//
// Events due at the same instant run in the order in which they were queued; operations that become free together run
// by rank, then sends, receives, calcs, then as LogGOPSim does for up to 16: in the order of their dependencies. Beyond
// 16 its order is that of an unstable sort, and ours is not.
// Cost: O((operations + dependencies) log(operations in flight)); 5 bytes per operation beside its 32.
// Source: Hoefler, Schneider & Lumsdaine, LogGOPSim, HPDC (2010); spcl/LogGOPSim 76451de.
#pragma once

#include "libsim/interop/goal/schedule.hpp"
#include "libsim/network/loggp.hpp"
#include "libsim/trace/span.hpp"

#include <vector>

namespace sim::goal {

enum class Charge { arrival, match };

struct GoalOutcome {
    std::vector<std::int64_t> rank_finish;  // when the last of its CPUs is free; NICs may still be busy
    std::vector<OpIndex> unreceived;        // sends whose message met no receive
    std::vector<OpIndex> waiting;           // began but never ended: receives, and sends of more than S bytes
    std::vector<OpIndex> blocked;           // never began
    bool finished() const { return waiting.empty() && blocked.empty(); }
};

// A picosecond of `costs` is one unit of the schedule's time. `on_span` receives the timeline (span_recorder.hpp), in
// order for each CPU. Throws std::overflow_error if a time exceeds 63 bits. Requires: no cost is negative.
GoalOutcome run(const GoalSchedule& schedule, const LogGP& costs, Charge charge = Charge::arrival,
                const trace::SpanSink& on_span = nullptr);

// LogGOPSim's default values of L, o, g, G, O and S.
LogGP loggopsim_costs();

}  // namespace sim::goal
