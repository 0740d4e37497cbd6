// The kernel's inner loop: the ops of nearly every program, in one file so that the compiler can inline them all.
//
// The network decides who pays what, and when (libsim/network/). Prices of messages that depend on nothing else are
// cached; a network that times both ends of a message is asked for each one.
#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

inline bool Kernel::compute(int rank, RankState& self, const Op& op) {
    if (overlap_.concerns(self, op)) [[unlikely]] {
        return compute_beside_streams(rank, self, op);
    }
    // An asynchronous computation leaves the clock behind, but the rank has only one compute unit: the next one queues.
    const Time begin = std::max(self.program.clock, self.computes_free);
    const Time end = later(begin, prices_.computation(rank, op, self.op_number, begin));
    // Advanced only now: if the price throws, accept() reports the mistake at op_number.
    const std::uint32_t number = self.op_number++;
    self.computes_free = end;
    spans_.write(rank, {op, number}, begin, end);
    if (is_asynchronous(op)) {
        self.joinables.add({.op = op, .op_number = number, .done = true, .begin = begin, .end = end});
        return true;
    }
    self.computing += end - self.program.clock;
    self.program.clock = end;
    return true;
}

// Fills in everything but the arrival time and the transfer.
[[gnu::always_inline]] inline void fill_in(Message& message, NumberedOp send, Time begin) {
    message.begin = begin;
    message.amount = send.op.amount;
    message.bytes = send.op.bytes;
    message.payload = send.payload;
    // From 1: in a span, message 0 means none.
    message.number = send.number + 1;
    message.measure = send.op.measure;
}

// A send on a network that prices messages or (`at_ends`) times both their ends. Its times are known when it begins,
// unless (`may_wait`) it has to wait for its receiver.
//
// A receive that is posted already may still be later in simulated time, because ranks run ahead of each other. If both
// ends are timed, even an asynchronous send occupies its sender's processor.
template <bool at_ends, bool may_wait>
[[gnu::always_inline]] inline bool Kernel::send_at_once(int rank, RankState& self, Stream on, NumberedOp at) {
    const Op& op = at.op;
    StreamState& state = self.at(on);
    const Matching::Channel to = matching_.channel(state.last_send, op, rank, op.peer, on);
    const WaitingReceive* const waiting = matching_.oldest_receive(to);
    const Time begin = std::max(state.clock, state.send_port_free);
    const bool is_async = is_asynchronous(op);
    Time goes_on;        // time at which a synchronous sender may go on
    Time there;          // arrival time
    bool waits = false;  // for the receiver
    // Priced before the message exists: a message without a price is not sent.
    if constexpr (at_ends) {
        const Sending sending = prices_.sending_at_ends(rank, op, at.number, begin);
        goes_on = sending.times.processor;
        there = sending.times.there;
        state.send_port_free = sending.times.card;
        waits = sending.waits_for_receiver;
    } else {
        goes_on = later(begin, prices_.message(rank, op, at.number, begin));
        there = goes_on;
        state.send_port_free = goes_on;
        if constexpr (may_wait) {
            const bool needs_receiver = transfers_.rules().waits_for_receiver(op);
            waits = needs_receiver && waiting == nullptr;
            goes_on = needs_receiver && waiting != nullptr ? std::max(goes_on, waiting->since) : goes_on;
        }
    }
    const Duration idle = may_wait && !at_ends && !is_async ? goes_on - there : Duration{0};
    // Built in place: a copy would cost as much as everything else here.
    Message at_once;
    Message& message = waiting != nullptr ? at_once : matching_.new_message(to);
    fill_in(message, at, begin);
    message.end = there;
    if constexpr (may_wait) {
        message.transfer = TransferId::none;
    }
    self.count_message(op);
    self.spend(on, {.idle = idle, .end = is_async && !at_ends ? state.clock : goes_on});
    // If senders may be held, the span of an asynchronous send is known only when it is joined.
    if (!waits && !(is_async && may_wait)) {
        spans_.write(rank, at, begin, goes_on, idle, id_of(rank, message));
    }
    Owner sender = on;
    if (is_async) {
        sender = self.joinables.add(
            {.op = op, .op_number = at.number, .done = !waits, .begin = begin, .end = goes_on, .message = message});
    }
    if (waits) [[unlikely]] {
        hold_sender(rank, self, at, sender, message);
    }
    if (waiting != nullptr) {
        const WaitingReceive receive = *waiting;
        matching_.drop_oldest(to);
        deliver(op.peer, receive, at_once);
    } else if (questions_) [[unlikely]] {
        questions_->note_message(rank, op, message.end);
    }
    return !waits || is_async;
}

[[gnu::always_inline]] inline bool Kernel::send(int rank, RankState& self, Stream on, NumberedOp at) {
    // One flag covers everything rare, so that a plain send pays for a single test.
    return !transfers_.rules().special ? send_at_once<false, false>(rank, self, on, at)
                                       : send_general(rank, self, on, at);
}

bool Kernel::send_general(int rank, RankState& self, Stream on, NumberedOp at) {
    const StreamState& state = self.at(on);
    const Time begin = std::max(state.clock, links_ ? Time{} : state.send_port_free);
    if (losses_.lose(rank, at.op, begin)) {
        return send_lost(rank, self, on, at, begin);
    }
    const SendRules& rules = transfers_.rules();
    return links_             ? send_as_flow(rank, self, on, at)
           : rules.times_ends ? send_at_once<true, true>(rank, self, on, at)
           : rules.may_hold   ? send_at_once<false, true>(rank, self, on, at)
                              : send_at_once<false, false>(rank, self, on, at);
}

[[gnu::always_inline]] inline bool Kernel::receive(int rank, RankState& self, Stream on, NumberedOp at) {
    StreamState& state = self.at(on);
    const Matching::Channel from = matching_.channel(state.last_receive, at.op, at.op.peer, rank, on);
    const Message* message = matching_.oldest_message(from);
    if (message != nullptr) {
        if (message->transfer != TransferId::none) [[unlikely]] {
            return receive_held(rank, self, on, at, from);
        }
        if (!mistakes_.fits(rank, at, state.clock, *message)) [[unlikely]] {
            matching_.drop_oldest(from);
            return self.never_receive(on, at);
        }
    }
    if (is_asynchronous(at.op)) {
        begin_receive(rank, self, at, from, message);
    } else if (message != nullptr) {
        end_receive(rank, self, on, at, *message);
    } else {
        matching_.keep(from, WaitingReceive{.since = state.clock, .owner = on});
        self.block(on, at);
        return false;
    }
    if (message != nullptr) {
        matching_.drop_oldest(from);
    }
    return true;
}

// False: the rank is blocked, or has finished.
[[gnu::always_inline]] inline bool Kernel::execute(int rank, RankState& self, const Op& op) {
    if (op.stream != Stream::main && op.stream != Stream::own) [[unlikely]] {
        return issue(rank, self, op);
    }
    switch (op.kind) {
        case OpKind::compute: return compute(rank, self, op);
        case OpKind::send: {
            const std::uint32_t payload = op.bytes > 0 ? self.payloads++ : 0;
            return send(rank, self, Stream::main, {op, self.op_number++, payload});
        }
        case OpKind::receive: return receive(rank, self, Stream::main, {op, self.op_number++});
        case OpKind::wait: return wait(rank, self, op);
        case OpKind::allocate: {
            Op held = op;
            held.amount = self.allocate(rank, op);
            spans_.write(rank, {held, self.op_number}, self.program.clock, self.program.clock);
            return true;
        }
        case OpKind::record: self.mark(op); return true;
        case OpKind::forget: self.forget(rank, op); return true;
        case OpKind::collective:
            return collective(rank, self, Stream::main, {op, self.op_number++, beside_.begin_collective(rank, op)});
        case OpKind::enter: rendezvous_.arrive(rank, self.op_number, self.program.clock, op); return true;
        case OpKind::bring: {
            const std::uint32_t payload = op.bytes > 0 ? self.payloads++ : 0;
            beside_.bring(rank, {rank, payload, op.bytes}, op.amount != 0);
            return true;
        }
        case OpKind::take: return take_data(rank, self, op);
        case OpKind::idle: self.program.clock = std::max(self.program.clock, Time{Duration{op.amount}}); return true;
        case OpKind::issue:
            // With shared links all ranks share one time, so nothing can be issued in the past.
            self.issued_at = op.amount < 0 || links_ ? std::nullopt : std::optional(Time{Duration{op.amount}});
            return true;
        case OpKind::checkpoint: {
            const std::uint32_t payload = op.bytes > 0 ? self.payloads++ : 0;
            const std::uint32_t number = only_tells_of_step(op) ? self.op_number : self.op_number++;
            return hand_over(rank, self, Stream::main, {op, number, payload}, self.program.clock);
        }
        case OpKind::log:
            if (options_.on_log) {
                options_.on_log(rank, self.program.clock, op.label);
            }
            spans_.write(rank, {op, self.op_number}, self.program.clock, self.program.clock);
            return true;
        case OpKind::look:
        case OpKind::test: return ask(rank, self, op);
        case OpKind::now:
            if (questions_) {
                questions_->note_reading(rank);
            }
            ++self.op_number;
            return true;
        case OpKind::finish: return finish(rank, self);
    }
    check(false, "rank {} did an op of kind {}", rank, static_cast<int>(op.kind));
    return false;
}

std::size_t Kernel::accept(int rank, std::span<const Op> ops) {
    RankState& self = ranks_[rank];
    check(self.status == Status::out, "rank {} acts out of turn", rank);
    const bool stop_when_time_passes = agenda_.order() == Order::time;
    const Time before = self.program.clock;
    std::size_t taken = 0;
    bool goes_on = true;
    try {
        while (goes_on && taken < ops.size()) {
            goes_on = execute(rank, self, ops[taken++]);
            // With shared links a rank must not run ahead: another may now be earlier, and slow down what this one does
            // next.
            if (stop_when_time_passes && self.program.clock != before) {
                break;
            }
        }
    } catch (const ProgramError&) {
        // Noted, not thrown: which mistake is found first depends on the order of replay, so all others go on as long
        // as they can, and the earliest in simulated time is reported.
        mistakes_.note({self.program.clock, rank, self.op_number}, std::current_exception());
        self.status = Status::halted;
        goes_on = false;
    }
    if (agenda_.any_awake()) [[unlikely]] {
        wake_streams();
    }
    agenda_.end_turn();
    if (goes_on) {
        unblock(rank, self);
    }
    if (options_.on_ops) [[unlikely]] {
        options_.on_ops(rank, ops.first(taken));
    }
    return taken;
}

// Executes the front of a stream's queue, the same way as an op of the program.
bool Kernel::execute_issued(int rank, RankState& self, const IssuedOp& issued) {
    const NumberedOp at = issued.numbered();
    const Stream on = issued.op.stream;
    switch (issued.op.kind) {
        case OpKind::send: return send(rank, self, on, at);
        case OpKind::receive: return receive(rank, self, on, at);
        case OpKind::collective: return collective(rank, self, on, at);
        case OpKind::enter: rendezvous_.arrive(rank, at.number, self.at(on).clock, at.op); return true;
        case OpKind::wait: return self.wait_on_stream(issued);
        case OpKind::compute: compute_on_stream(rank, self, at, self.at(on).clock); return true;
        case OpKind::checkpoint: return hand_over(rank, self, on, at, issued.from);
        case OpKind::record: {
            Joinable& mark = *self.joinables.find(issued.mark);
            mark.end = self.at(on).clock;
            mark.done = true;
            async_ended(rank, self, issued.mark);
            return true;
        }
        default: check(false, "rank {} has {} on a stream", rank, name_of(issued.op.kind)); return true;
    }
}

// Delivers a message to a receive that was posted before it.
void Kernel::deliver(int target, const WaitingReceive& receive, const Message& message) {
    RankState& self = ranks_[target];
    if (receive.owner.kind() == Owner::Kind::stream) {
        const Stream on = receive.owner.stream();
        const NumberedOp at = self.in(on);
        // If it does not fit, it is spent, and the receive stays blocked for good, as in any other order of replay.
        if (!mistakes_.fits(target, at, receive.since, message)) [[unlikely]] {
            return;
        }
        end_receive(target, self, on, at, message);
        return resume(target, self, on);
    }
    if (receive.owner.kind() == Owner::Kind::walk) {
        return end_of_walk(walks_->end_receive(receive.owner.walk(), message));
    }
    const AsyncId id = receive.owner.async();
    Joinable& joinable = *self.joinables.find(id);
    if (!mistakes_.fits(target, {joinable.op, joinable.op_number}, joinable.begin, message)) [[unlikely]] {
        return;
    }
    joinable.message = message;
    joinable.end = end_of_asynchronous(target, joinable, message);
    // The sender has been released; joining the receive later must not release it again.
    joinable.message.transfer = TransferId::none;
    joinable.done = true;
    async_ended(target, self, id);
}

[[gnu::always_inline]] inline void Kernel::end_receive(int rank, RankState& self, Stream on, NumberedOp at,
                                                       const Message& message) {
    StreamState& state = self.at(on);
    const Time posted = state.clock;
    const Time end = transfers_.rules().times_ends
                         ? take(state.receive_port_free, posted, message)
                         : later(std::max(posted, message.end), prices_.acknowledgement(at.op.peer, rank));
    // The rank is idle until its peer begins to send; from then on it communicates.
    const Duration idle = std::max(message.begin - posted, Duration{0});
    // Negative tags are those of a collective's messages.
    self.spend(on, {.idle = idle, .end = end, .in_collective = at.op.tag < 0});
    if (on == Stream::main) {
        self.delivery = {at.op.peer, message.payload, message.bytes};
    }
    if (spans_) {
        spans_.write(rank, {received(at.op, message), at.number}, posted, end, idle, id_of(at.op.peer, message));
    }
}

// A receive finds a message that holds its sender, or did. False: the stream is blocked.
bool Kernel::receive_held(int rank, RankState& self, Stream on, NumberedOp at, Matching::Channel from) {
    Message message = *matching_.oldest_message(from);
    matching_.drop_oldest(from);
    const Time now = self.at(on).clock;
    const SendRules& rules = transfers_.rules();
    // If both ends are timed, the sender goes on when the receiver's network card is free, so take() releases it.
    if (rules.waits_for_receiver(at.op) && !rules.times_ends) {
        release_sender(message, now);
    }
    const bool is_there = !links_ || links_->has_arrived(message);
    if (is_there && !mistakes_.fits(rank, at, now, message)) [[unlikely]] {
        return self.never_receive(on, at);
    }
    if (is_there && is_asynchronous(at.op)) {
        begin_receive(rank, self, at, from, &message);
    } else if (is_there) {
        end_receive(rank, self, on, at, message);
    } else if (is_asynchronous(at.op)) {
        const AsyncId id = self.joinables.add({.op = at.op, .op_number = at.number, .begin = now});
        transfers_[message.transfer].receiver = {.since = now, .owner = id};
    } else {
        transfers_[message.transfer].receiver = {.since = now, .owner = on};
        self.begins_busy(on, std::max(now, message.begin));
        self.block(on, at);
        return false;
    }
    return true;
}

}  // namespace sim::kernel
