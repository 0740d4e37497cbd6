// The streams of a rank beside its program: issuing ops onto them, executing those ops, and resuming their waiters.
//
// A stream resumes when the op it waits for completes, whatever its program does meanwhile.
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

// A receive without data has nothing to tell the program.
bool program_waits_for(const Op& op) {
    return op.kind == OpKind::receive && op.bytes > 0;
}

}  // namespace

// An op that reaches an empty stream, waits for nobody and has a known end need not be queued. False: it must be.
bool Kernel::execute_at_once(int rank, RankState& self, const Op& op) {
    StreamQueue& at = self.queue(op.stream);
    // Data beside a collective is exchanged when its members meet, so such a collective has to go through the
    // rendezvous.
    if (at.blocked || !at.waiting.empty() || (beside_.in_use() && op.kind == OpKind::collective)) {
        return false;
    }
    const Time now = self.issue_time();
    const Time begin = std::max(at.state.clock, now);
    if (op.kind == OpKind::record) {
        at.state.clock = begin;
        self.joinables.add({.op = op, .op_number = self.op_number, .done = true, .begin = now, .end = begin});
        return true;
    }
    if (op.kind == OpKind::compute) {
        compute_on_stream(rank, self, {op, self.op_number++}, begin);
        return true;
    }
    // A member that stands for all others waits for nobody, so the end is known here.
    const WholePrice* const whole = op.kind == OpKind::collective ? collective_times_.alone(op) : nullptr;
    if (whole == nullptr) {
        return false;
    }
    at.state.clock = later(begin, whole->price);
    add_checked(self.sent(op.measure), whole->sent);
    at.busy.note(begin, at.state.clock);
    spans_.write(rank, {op, self.op_number++}, begin, at.state.clock);
    return true;
}

// Only the rank's own slowdown makes it longer; messages beside it do not.
void Kernel::compute_on_stream(int rank, RankState& self, NumberedOp at, Time begin) {
    const Time end = later(begin, prices_.computation(rank, at.op, at.number, begin));
    self.compute_on(at.op.stream, begin, end);
    spans_.write(rank, at, begin, end);
}

// A rank reports the steps that it has completed, and may hand over its state. The program, or the stream, stalls
// meanwhile: its GPU neither computes nor sends for it.
bool Kernel::hand_over(int rank, RankState& self, Stream on, NumberedOp at, Time asked) {
    Op op = at.op;
    const Time begin = self.at(on).clock;
    const Time end = later(begin, Duration{op.amount});
    self.spend(on, {.idle = end - begin, .end = end, .busy_is_noted = true});
    if (!only_tells_of_step(at.op)) {
        op.amount = static_cast<std::int64_t>(op.bytes);
        spans_.write(rank, {op, at.number}, begin, end, end - begin);
    }
    if (options_.on_steps) {
        options_.on_steps({.rank = rank,
                           .steps = op.tag,
                           .in_program = on == Stream::main,
                           .asked = asked,
                           .begin = begin,
                           .end = end,
                           .with_state = op.peer > 0,
                           .bytes = op.bytes,
                           .payload = at.payload});
    }
    return true;
}

bool Kernel::issue(int rank, RankState& self, const Op& op) {
    const Time now = self.issue_time();
    if (op.kind == OpKind::compute) {
        prices_.computation(rank, op, self.op_number, now);  // throws here rather than when its stream reaches it
    }
    if (execute_at_once(rank, self, op)) {
        return true;
    }
    IssuedOp issued{.op = op, .number = self.op_number, .from = now};
    if (op.kind == OpKind::record) {
        issued.mark = self.joinables.add({.op = op, .op_number = self.op_number, .begin = now});
    } else if (op.kind != OpKind::enter) {
        self.op_number += 1;
    }
    if ((op.kind == OpKind::send || op.kind == OpKind::checkpoint) && op.bytes > 0) {
        issued.payload = self.payloads++;
    }
    if (op.kind == OpKind::collective) {
        issued.payload = beside_.begin_collective(rank, op);
    }
    StreamQueue& queue = self.queue(op.stream);
    if (op.kind == OpKind::wait) {
        // If there is none, the program has already joined it and so is past its end.
        if (const Joinable* const awaited = self.joinables.find_named(awaited_by(op))) {
            issued.awaits = !awaited->done;
            queue.awaiting += issued.awaits ? 1 : 0;
            issued.joined = {awaited->op.stream, awaited->op.kind == OpKind::compute};
            issued.until = awaited->end;
        }
    }
    queue.waiting.push_back(issued);
    go_on(rank, self, op.stream);
    if (op.kind == OpKind::send && op.bytes > 0) {
        RankState& target = ranks_[op.peer];
        if (early_data_.send(rank, op, issued.payload, target)) {
            unblock(op.peer, target);
        }
    }
    if (!program_waits_for(op) || early_data_.receive(rank, op, self.delivery)) {
        return true;
    }
    self.block(op, issued.number);
    return false;
}

void Kernel::go_on(int rank, RankState& self, Stream on) {
    // Looked up each time: a collective with several channels adds streams.
    while (!self.queue(on).blocked && !self.queue(on).waiting.empty()) {
        StreamQueue& at = self.queue(on);
        const IssuedOp issued = at.waiting.front();
        // No op begins before its program has issued it, even on a stream that is free.
        at.state.clock = std::max(at.state.clock, issued.from);
        at.blocked = true;  // until it ends, possibly at once
        try {
            if (execute_issued(rank, self, issued)) {
                end_issued(rank, self, on);
            }
        } catch (const ProgramError&) {
            mistakes_.note({self.at(on).clock, rank, issued.number}, std::current_exception());
            return;  // the stream stays blocked
        }
    }
}

// The front op has ended, and whatever waits for the stream may go on.
void Kernel::end_issued(int rank, RankState& self, Stream on) {
    StreamQueue& at = self.queue(on);
    at.waiting.pop_front();
    at.blocked = false;
    at.busy_since.reset();
    if (self.is_blocked_in(OpKind::finish) && at.waiting.empty()) {
        finish(rank, self);
    } else if (self.is_blocked_in(OpKind::compute) && !links_ && self.streams_are_done()) {
        // With shared links, the kernel looks at such a computation again at its expected end (next_turn_in_time).
        end_deferred_compute(rank, self, self.program.clock);
    }
}

void Kernel::wake_streams() {
    while (agenda_.any_awake()) {
        const Agenda::Awake next = agenda_.pop_awake();
        go_on(next.rank, ranks_[next.rank], next.stream);
    }
}

}  // namespace sim::kernel
