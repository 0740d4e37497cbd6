// A span recorder turns the activity of the CPUs of a GOAL schedule into the spans of a timeline.
//
// A rank's CPU number is the stream of its spans, a picosecond is one unit of the schedule's time, and both ends of a
// message carry the number of its send, from 1. A send lasts while its CPU is busy; if a rendezvous finds that CPU
// still idle since then, the send extends to the rendezvous, and the extension counts as waiting. A receive lasts while
// its message is taken.
#pragma once

#include "libsim/interop/goal/schedule.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <vector>

namespace sim::goal {

// The interval in which a CPU is busy.
struct BusyTime {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

class SpanRecorder {
public:
    // Both arguments must outlive the recorder.
    SpanRecorder(const GoalSchedule& schedule, const trace::SpanSink& sink);

    void calc(OpIndex index, BusyTime busy);
    // `meets`: the send ends with its receive, so its span waits for met().
    void send(OpIndex index, BusyTime busy, bool meets);
    // A CPU of the receiver takes the message of `send`. `receive` may be no_op: no receive waits for it.
    void message(OpIndex send, OpIndex receive, std::uint8_t cpu, BusyTime busy);
    // A rendezvous ends the send, and sets the clock of a CPU of its rank.
    void met(OpIndex send, std::uint8_t cpu, std::int64_t at);
    // Sends that still wait end when their CPUs were last busy.
    void finish();

private:
    trace::Span span_of(OpIndex index, OpKind kind, const std::string& label, BusyTime busy) const;
    trace::Span& waiting_on(std::uint32_t rank, std::uint8_t cpu);
    void put(const trace::Span& span);
    void release(trace::Span& waiting);

    const GoalSchedule& schedule_;
    const trace::SpanSink& sink_;
    std::vector<trace::Span> waiting_;  // per CPU of each rank: the send that may still wait; message 0: none
};

}  // namespace sim::goal
