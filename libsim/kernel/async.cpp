// The ends of asynchronous ops: joining them, asking for them, and the program's own end, which joins them all. Also
// computations of the program that wait for its streams. Asking which of several ends first is a question
// (features/questions.hpp).
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

void Kernel::begin_receive(int rank, RankState& self, NumberedOp at, Matching::Channel from, const Message* message) {
    const Time now = self.program.clock;
    Joinable joinable{.op = at.op, .op_number = at.number, .begin = now};
    if (message != nullptr) {
        joinable.message = *message;
        joinable.end = end_of_asynchronous(rank, joinable, *message);
        joinable.message.transfer = TransferId::none;
        joinable.done = true;
    }
    const AsyncId id = self.joinables.add(joinable);
    if (message == nullptr) {
        matching_.keep(from, WaitingReceive{.since = now, .owner = id});
    }
}

// The end of an asynchronous op is now known: streams that wait for it go on, and so may the program.
void Kernel::async_ended(int rank, RankState& self, AsyncId id) {
    const Time end = self.joinables.find(id)->end;
    if (questions_) [[unlikely]] {
        questions_->note_end(rank, end);
    }
    for (std::size_t index = 0; index < self.queues.size(); ++index) {
        StreamQueue& at = self.queues[index];
        // Most streams await no op and need not be searched.
        for (std::size_t i = 0; at.awaiting > 0 && i < at.waiting.size(); ++i) {
            IssuedOp& issued = at.waiting[i];
            if (issued.awaits && awaited_by(issued.op) == id) {
                issued.awaits = false;
                at.awaiting -= 1;
                issued.until = end;
            }
        }
        if (at.blocked && at.waiting.front().op.kind == OpKind::wait && !at.waiting.front().awaits) {
            at.blocked = false;
            agenda_.wake(rank, static_cast<Stream>(index + 1));
        }
    }
    if (Joinable& ended = *self.joinables.find(id); ended.forgotten) {
        self.joinables.note_joined(ended);
        self.joinables.drop_joined();
    }
    const bool names_it =
        self.status == Status::blocked && self.pending.stream == Stream::main && awaited_by(self.pending) == id;
    if (names_it && self.pending.kind == OpKind::wait) {
        join(rank, self, *self.joinables.find(id), false);
        self.joinables.drop_joined();
        unblock(rank, self);
    } else if (names_it && asks_for_end(self.pending)) {
        if (is_test(self.pending, TestOf::end_of_one)) {
            self.delivery = {.bytes = sizeof end};
        } else {
            questions_->answer_by_end(rank, *self.joinables.find(id));
        }
        unblock(rank, self);
    } else if (self.is_blocked_in(OpKind::finish)) {
        finish(rank, self);
    }
}

bool Kernel::wait(int rank, RankState& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    Joinable& joinable = self.named(rank, awaited_by(op), number, "waits");
    if (!joinable.done) {
        self.block(op, number);
        return false;
    }
    join(rank, self, joinable, false);
    self.joinables.drop_joined();
    return true;
}

bool Kernel::ask(int rank, RankState& self, const Op& op) {
    if (is_test(op, TestOf::end_of_one)) {
        return ask_for_end(rank, self, op);
    }
    if (!questions_) {
        questions_.emplace(ranks_, matching_, transfers_);
    }
    return questions_->ask(rank, op, links_ ? links_->now() : Time::min());
}

// The end of an op is told as soon as it is known, whatever others do until then; so this is no question.
bool Kernel::ask_for_end(int rank, RankState& self, const Op& op) {
    if (questions_) {
        questions_->note_reading(rank);
    }
    const std::uint32_t number = self.op_number++;
    const Joinable& joinable = self.named(rank, awaited_by(op), number, "asks");
    if (!joinable.done) {
        self.block(op, number);
        return false;
    }
    self.delivery = {.bytes = sizeof joinable.end};
    return true;
}

// The slot of the op stays until Joinables::drop_joined().
void Kernel::join(int rank, RankState& self, Joinable& joinable, bool is_at_its_end) {
    const SendRules& rules = transfers_.rules();
    self.delivery = {};
    // The end so far assumed that the message has the network card to itself; only now is it known when it is taken.
    if (rules.times_ends && joinable.op.kind == OpKind::receive) {
        joinable.end = take(self.program.receive_port_free, self.program.clock, joinable.message);
    }
    self.advance_to_end(joinable, rules, is_at_its_end);
    self.joinables.note_joined(joinable);
    // send_at_once() wrote no span for it: a held sender's end was not known there.
    if (rules.may_hold && joinable.op.kind == OpKind::send) {
        spans_.write(rank, {joinable.op, joinable.op_number}, joinable.message.begin, joinable.end, Duration{0},
                     id_of(rank, joinable.message));
    }
    if (joinable.op.kind == OpKind::receive) {
        const int source = joinable.op.peer;
        const Message& message = joinable.message;
        self.delivery = {source, message.payload, message.bytes};
        if (spans_) {
            const Duration idle = std::max(message.begin - joinable.begin, Duration{0});
            spans_.write(rank, {received(joinable.op, message), joinable.op_number}, joinable.begin, joinable.end, idle,
                         id_of(source, message));
        }
    }
}

// Called again whenever something that it waited for has ended, so it may take several calls to join everything.
bool Kernel::finish(int rank, RankState& self) {
    if (!self.streams_are_done()) {
        self.block({.kind = OpKind::finish}, self.op_number);
        return false;
    }
    for (Joinable& open : self.joinables.all()) {
        if (!open.done) {
            self.block({.kind = OpKind::finish}, self.op_number);
            return false;
        }
        if (!open.joined) {
            join(rank, self, open, true);
        }
    }
    self.joinables.drop_joined();
    for (std::size_t index = 0; index < self.queues.size(); ++index) {
        self.wait_for_stream(static_cast<Stream>(index + 1), self.queues[index].state.clock, true);
    }
    agenda_.finish(self);
    return false;
}

// False: the computation waits until the streams' times are known.
bool Kernel::compute_beside_streams(int rank, RankState& self, const Op& op) {
    prices_.computation(rank, op, self.op_number, self.program.clock);  // throws here, not when others go on
    const std::uint32_t number = self.op_number++;
    if (self.streams_are_done()) {
        const Interval ran = overlap_.compute(rank, self, op, self.program.clock);
        spans_.write(rank, {op, number}, ran.begin, ran.end);
        return true;
    }
    self.block(op, number);
    overlap_.defer();
    if (links_) {
        // A lower bound: streams that become busy until then slow it down further, and it is pushed again.
        agenda_.push({overlap_.end(rank, self, op, self.program.clock), rank, number});
    }
    return false;
}

// The program is blocked in a computation whose streams' times are now known.
void Kernel::end_deferred_compute(int rank, RankState& self, Time now) {
    overlap_.resume();
    const Interval ran = overlap_.compute(rank, self, self.pending, now);
    spans_.write(rank, {self.pending, self.pending_number}, ran.begin, ran.end);
    unblock(rank, self);
}

}  // namespace sim::kernel
