// The kernel's inner loop: the ops that nearly all programs are made of, in one file so that they become one function.
//
// Who pays what, and when, is the uniform network's (libsim/network/uniform.hpp).
#include "libsim/check.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim {

inline bool Kernel::compute(int rank, Rank& self, const Op& op) {
    if (computes_beside_streams(self, op)) [[unlikely]] {
        return begin_compute_beside_streams(rank, self, op);
    }
    const Time begin = std::max(self.clock, self.computes_free);
    const Time end = later(begin, price(last_compute_, rank, op));
    const std::uint32_t number = self.op_number++;
    self.computes_free = end;
    if (on_span_) {
        emit(rank, op, number, begin, end, Duration{0}, 0);
    }
    if (is_asynchronous(op)) {
        self.joinables.add({.op = op, .op_number = number, .done = true, .begin = begin, .end = end});
        return true;
    }
    self.computing += end - self.clock;
    self.clock = end;
    return true;
}

inline Matching::Channel Kernel::channel(LastChannel& last, int peer, int tag, int source, int target) {
    if (last.peer != peer || last.tag != tag) {
        last = {peer, tag, matching_.channel(source, target, tag)};
    }
    return last.channel;
}

inline bool Kernel::send(int rank, Rank& self, const Op& op) {
    if (holds_senders_) [[unlikely]] {
        return send_and_hold(rank, self, op);
    }
    const Matching::Channel to = channel(self.last_send, op.peer, op.tag, rank, op.peer);
    const WaitingReceive* const waiting = matching_.oldest_receive(to);
    // Written where it will lie: a copy would cost as much as all the rest.
    Message at_once;
    Message& message = waiting != nullptr ? at_once : matching_.new_message(to);
    const Time begin = std::max(self.clock, self.sends_free);
    const Time end = later(begin, price(last_transfer(rank, op), rank, op));
    const std::uint32_t number = self.op_number++;
    message.begin = begin;
    message.end = end;
    message.amount = op.amount;
    message.bytes = op.bytes;
    message.payload = op.bytes > 0 ? self.payloads++ : 0;
    message.number = number + 1;
    message.measure = op.measure;
    self.sends_free = end;
    count_message(self, op);
    if (on_span_) {
        emit(rank, op, number, begin, end, Duration{0}, id_of(rank, message));
    }
    if (is_asynchronous(op)) {
        self.joinables.add(
            {.op = op, .op_number = number, .done = true, .begin = begin, .end = end, .message = message});
    } else {
        self.communicating += end - self.clock;
        self.clock = end;
    }
    if (waiting != nullptr) {
        const WaitingReceive receive = *waiting;
        matching_.drop_oldest(to);
        deliver(op.peer, receive, at_once);
    }
    return true;
}

inline bool Kernel::receive(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    const Matching::Channel from = channel(self.last_receive, op.peer, op.tag, op.peer, rank);
    const Message* message = matching_.oldest_message(from);
    if (message != nullptr) {
        check_fit(rank, op, number, self.clock, *message);
        if (message->transfer != 0) [[unlikely]] {
            return receive_held(rank, self, op, number, from);
        }
    }
    if (is_asynchronous(op)) {
        begin_receive(rank, self, op, number, from, message);
    } else if (message != nullptr) {
        end_receive(rank, self, op, number, self.clock, *message);
    } else {
        matching_.keep(from, WaitingReceive{.since = self.clock});
        block(self, op, number);
        return false;
    }
    if (message != nullptr) {
        matching_.drop_oldest(from);
    }
    return true;
}

// False: the rank is blocked, or has finished.
inline bool Kernel::carry_out(int rank, Rank& self, const Op& op) {
    if (op.stream != Stream::main && op.stream != Stream::own) [[unlikely]] {
        return issue(rank, self, op);
    }
    switch (op.kind) {
        case OpKind::compute: return compute(rank, self, op);
        case OpKind::send: return send(rank, self, op);
        case OpKind::receive: return receive(rank, self, op);
        case OpKind::wait: return wait(rank, self, op);
        case OpKind::allocate: allocate(rank, self, op); return true;
        case OpKind::record: check(false, "rank {} marks no stream", rank); return true;
        case OpKind::collective: return collective(rank, self, op);
        case OpKind::enter: board_.arrive(rank, self.op_number, self.clock, op); return true;
        case OpKind::log: emit(rank, op, self.op_number, self.clock, self.clock, Duration{0}, 0); return true;
        case OpKind::now: ++self.op_number; return true;
        case OpKind::finish: return finish(rank, self);
    }
    check(false, "rank {} did an op of kind {}", rank, static_cast<int>(op.kind));
    return false;
}

std::size_t Kernel::accept(int rank, std::span<const Op> ops) {
    Rank& self = of(rank);
    check(self.status == Status::out, "rank {} acts out of turn", rank);
    const bool stop_when_time_passes = agenda_.order() == Order::time;
    const Time before = self.clock;
    std::size_t taken = 0;
    bool goes_on = true;
    while (goes_on && taken < ops.size()) {
        goes_on = carry_out(rank, self, ops[taken++]);
        if (stop_when_time_passes && self.clock != before) {
            break;
        }
    }
    if (!awake_.empty()) [[unlikely]] {
        wake_streams();
    }
    --out_;
    if (goes_on) {
        unblock(rank, self);
    }
    return taken;
}

// A message meets a receive that was there before it.
void Kernel::deliver(int target, const WaitingReceive& receive, const Message& message) {
    Rank& self = of(target);
    if (receive.handle == the_program) {
        check_fit(target, self.pending, self.pending_number, receive.since, message);
        end_receive(target, self, self.pending, self.pending_number, receive.since, message);
        unblock(target, self);
        return;
    }
    if (is_walk(receive.handle)) {
        walk_message_ends(walks_[receive.handle], message.end);
        end_walk_receive(receive.handle, message);
        next_step(receive.handle);
        return walk_on(receive.handle);
    }
    if (receive.handle < the_program) {
        return deliver_on(target, receive, message);
    }
    Joinable& joinable = *self.joinables.find(receive.handle);
    check_fit(target, joinable.op, joinable.op_number, joinable.begin, message);
    joinable.message = message;
    joinable.end = end_of_asynchronous(target, joinable, message);
    joinable.message.transfer = 0;
    joinable.done = true;
    joinable_is_done(target, self, receive.handle);
}

inline void Kernel::end_receive(int rank, Rank& self, const Op& op, std::uint32_t op_number, Time posted,
                                const Message& message) {
    const Time end = loggp_ != nullptr ? end_by_loggp(self.receives_free, posted, message)
                                       : later(std::max(posted, message.end), acknowledgement(op.peer, rank));
    const Duration idle = std::max(message.begin - posted, Duration{0});
    self.communicating += end - posted - idle;
    self.idle_in_collectives += op.tag < 0 ? idle : Duration{0};
    self.clock = end;
    self.delivery = {op.peer, message.payload, message.bytes};
    if (on_span_) {
        emit(rank, received(op, message), op_number, posted, end, idle, id_of(op.peer, message));
    }
}

// A receive of the program meets a message that holds its sender, or has held it. False: the rank is blocked.
bool Kernel::receive_held(int rank, Rank& self, const Op& op, std::uint32_t number, Matching::Channel from) {
    Message message = *matching_.oldest_message(from);
    matching_.drop_oldest(from);
    const bool is_there = !shared_links_ || has_come(message);
    if (is_there && is_asynchronous(op)) {
        begin_receive(rank, self, op, number, from, &message);
    } else if (is_there) {
        end_receive(rank, self, op, number, self.clock, message);
    } else if (is_asynchronous(op)) {
        const std::int64_t handle = self.joinables.add({.op = op, .op_number = number, .begin = self.clock});
        transfers_[message.transfer].receiver = {.since = self.clock, .handle = handle};
    } else {
        transfers_[message.transfer].receiver = {.since = self.clock};
        block(self, op, number);
        return false;
    }
    return true;
}

}  // namespace sim
