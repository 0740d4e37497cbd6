// A span recorder turns what the CPUs of a GOAL schedule do into the spans of a timeline.
//
// A rank's CPU number is the stream of its spans, a picosecond is one unit of the schedule's time, and both ends of a
// message have the number of its send, from 1. A send lasts while its CPU is busy; where a rendezvous finds that CPU
// with nothing done since, it lasts until then and has waited meanwhile. A receive lasts while its message is taken.
#pragma once

#include "libsim/interop/goal/schedule.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <vector>

namespace sim::goal {

// From when until when a CPU is busy.
struct BusyTime {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

class SpanRecorder {
public:
    // Both must outlive it.
    SpanRecorder(const GoalSchedule& schedule, const trace::SpanSink& sink);

    void calc(OpIndex index, BusyTime busy);
    // `meets`: it ends with its receive, so that its span waits for met().
    void send(OpIndex index, BusyTime busy, bool meets);
    // The message of `send` is taken by a CPU of its receiver. `receive` may be no_op: none waits for it.
    void message(OpIndex send, OpIndex receive, std::uint8_t cpu, BusyTime busy);
    // A rendezvous ends the send, and sets the clock of a CPU of its rank.
    void met(OpIndex send, std::uint8_t cpu, std::int64_t at);
    // Sends that still wait end with what their CPUs did.
    void finish();

private:
    trace::Span span_of(OpIndex index, OpKind kind, const std::string& label, BusyTime busy) const;
    trace::Span& waiting_on(std::uint32_t rank, std::uint8_t cpu);
    void put(const trace::Span& span);
    void release(trace::Span& waiting);

    const GoalSchedule& schedule_;
    const trace::SpanSink& sink_;
    std::vector<trace::Span>
        waiting_;  // of each CPU of each rank: the send that may still wait; without a message, none
};

}  // namespace sim::goal
