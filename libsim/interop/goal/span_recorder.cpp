#include "libsim/interop/goal/span_recorder.hpp"

#include "libsim/interop/goal/meeting.hpp"

#include <string>

namespace sim::goal {

namespace {

const std::string calc_label = "calc";
const std::string send_label = "send";
const std::string receive_label = "recv";
const std::string unexpected_label = "message before its recv";

Time at(std::int64_t units) {
    return Time{Duration{units}};
}

}  // namespace

SpanRecorder::SpanRecorder(const GoalSchedule& schedule, const trace::SpanSink& sink)
    : schedule_(schedule), sink_(sink), waiting_(schedule.ranks.size() * static_cast<std::size_t>(schedule.cpus)) {}

void SpanRecorder::calc(OpIndex index, BusyTime busy) {
    put(span_of(index, OpKind::compute, calc_label, busy));
}

void SpanRecorder::send(OpIndex index, BusyTime busy, bool meets) {
    const GoalOp& op = schedule_.ops[index];
    trace::Span span = span_of(index, OpKind::send, send_label, busy);
    span.peer = static_cast<int>(op.peer);
    span.message = index + 1;
    if (!meets) {
        return put(span);
    }
    trace::Span& waiting = waiting_on(op.rank, op.cpu);
    release(waiting);
    waiting = span;
}

void SpanRecorder::message(OpIndex send, OpIndex receive, std::uint8_t cpu, BusyTime busy) {
    const GoalOp& op = schedule_.ops[send];
    trace::Span span = span_of(send, OpKind::receive, receive == no_op ? unexpected_label : receive_label, busy);
    const OpRange program = schedule_.ranks[op.peer];
    span.rank = static_cast<int>(op.peer);
    span.stream = Stream{cpu};
    // A message that comes before its receive gets the number after the last operation of its rank.
    span.op_number = (receive == no_op ? program.end : receive) - program.begin;
    span.peer = static_cast<int>(op.rank);
    span.message = send + 1;
    put(span);
}

void SpanRecorder::met(OpIndex send, std::uint8_t cpu, std::int64_t when) {
    trace::Span& waiting = waiting_on(schedule_.ops[send].rank, cpu);
    if (waiting.message != send + 1) {
        return;
    }
    if (at(when) > waiting.end) {
        waiting.idle = at(when) - waiting.end;
        waiting.end = at(when);
    }
    release(waiting);
}

void SpanRecorder::finish() {
    for (trace::Span& waiting : waiting_) {
        release(waiting);
    }
}

trace::Span SpanRecorder::span_of(OpIndex index, OpKind kind, const std::string& label, BusyTime busy) const {
    const GoalOp& op = schedule_.ops[index];
    return {.rank = static_cast<int>(op.rank),
            .kind = kind,
            .stream = Stream{op.cpu},
            .op_number = index - schedule_.ranks[op.rank].begin,
            .label = &label,
            .tag = static_cast<int>(op.tag),
            .amount = kind == OpKind::compute ? 0 : op.size,  // a calc's size is its time
            .begin = at(busy.begin),
            .end = at(busy.end)};
}

trace::Span& SpanRecorder::waiting_on(std::uint32_t rank, std::uint8_t cpu) {
    return waiting_[rank * static_cast<std::size_t>(schedule_.cpus) + cpu];
}

// Emits the span after the one that still waits on the same CPU.
void SpanRecorder::put(const trace::Span& span) {
    release(waiting_on(static_cast<std::uint32_t>(span.rank), static_cast<std::uint8_t>(span.stream)));
    sink_(span);
}

void SpanRecorder::release(trace::Span& waiting) {
    if (waiting.message != 0) {
        sink_(waiting);
        waiting.message = 0;
    }
}

}  // namespace sim::goal
