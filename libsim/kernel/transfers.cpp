// The kernel's messages: who pays what, and when, is the uniform network's (libsim/network/uniform.hpp).
#include "libsim/error.hpp"
#include "libsim/kernel.hpp"
#include "libsim/kernel/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

std::uint64_t id_of(int source, const Message& message) {
    return (static_cast<std::uint64_t>(source) << 32U) | message.number;
}

Op received(Op op, const Message& message) {
    op.amount = message.amount;
    op.measure = message.measure;
    return op;
}

Matching::Channel Kernel::channel(LastChannel& last, int peer, int tag, int source, int target) {
    if (last.peer != peer || last.tag != tag) {
        last = {peer, tag, matching_.channel(source, target, tag)};
    }
    return last.channel;
}

void Kernel::send(int rank, Rank& self, const Op& op) {
    const Time begin = std::max(self.clock, self.sends_free);
    const Time end = later(begin, price(last_transfer_, rank, op));
    const std::uint32_t number = self.op_number++;
    self.sends_free = end;
    self.messages += 1;
    (op.measure == Measure::bytes ? self.bytes_sent : self.billionths_sent) += op.amount;
    const Message message{.begin = begin,
                          .end = end,
                          .amount = op.amount,
                          .bytes = op.bytes,
                          .payload = op.bytes > 0 ? self.payloads++ : 0,
                          .number = self.messages,
                          .measure = op.measure};
    if (on_span_) {
        emit(rank, op, number, begin, end, Duration{0}, id_of(rank, message));
    }
    if (op.asynchronous) {
        self.joinables.add({.op = op, .op_number = number, .done = true, .begin = begin, .end = end, .message = message});
    } else {
        self.communicating += end - self.clock;
        self.clock = end;
    }
    const Matching::Channel to = channel(self.last_send, op.peer, op.tag, rank, op.peer);
    if (const auto receive = matching_.offer(to, message)) {
        deliver(op.peer, *receive, rank, message);
    }
}

bool Kernel::receive(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    WaitingReceive waiting{.since = self.clock,
                           .amount = op.amount,
                           .bytes = op.bytes,
                           .op_number = number,
                           .measure = op.measure};
    if (op.asynchronous) {
        waiting.handle = self.joinables.add({.op = op, .op_number = number, .begin = self.clock});
    }
    const Matching::Channel from = channel(self.last_receive, op.peer, op.tag, op.peer, rank);
    const std::optional<Message> message = matching_.take(from, waiting);
    if (!message) {
        if (!op.asynchronous) {
            block(self, op, number);
        }
        return op.asynchronous;
    }
    check_fit(op.peer, rank, waiting, op.tag, *message);
    if (op.asynchronous) {
        Joinable& joinable = *self.joinables.find(waiting.handle);
        joinable.message = *message;
        joinable.end = later(std::max(self.clock, message->end), acknowledgement_);
        joinable.done = true;
    } else {
        end_receive(rank, self, op, number, self.clock, *message);
    }
    return true;
}

// A message meets a receive that was there before it.
void Kernel::deliver(int target, const WaitingReceive& receive, int source, const Message& message) {
    Rank& self = of(target);
    if (receive.handle < 0) {
        check_fit(source, target, receive, self.pending.tag, message);
        end_receive(target, self, self.pending, self.pending_number, receive.since, message);
        unblock(target, self);
        return;
    }
    Joinable& joinable = *self.joinables.find(receive.handle);
    check_fit(source, target, receive, joinable.op.tag, message);
    joinable.message = message;
    joinable.end = later(std::max(joinable.begin, message.end), acknowledgement_);
    joinable.done = true;
    if (self.status != Status::blocked) {
        return;
    }
    if (self.pending.kind == OpKind::wait && self.pending.amount == receive.handle) {
        join(target, self, joinable);
        unblock(target, self);
    } else if (self.pending.kind == OpKind::finish) {
        finish(target, self);
    }
}

void Kernel::end_receive(int rank, Rank& self, const Op& op, std::uint32_t op_number, Time posted, const Message& message) {
    const Time end = later(std::max(posted, message.end), acknowledgement_);
    const Duration idle = std::max(message.begin - posted, Duration{0});
    self.communicating += end - posted - idle;
    self.clock = end;
    self.delivery = {op.peer, message.payload, message.bytes};
    if (on_span_) {
        emit(rank, received(op, message), op_number, posted, end, idle, id_of(op.peer, message));
    }
}

void Kernel::check_fit(int source, int target, const WaitingReceive& receive, int tag, const Message& message) const {
    const bool sizes_fit = receive.amount < 0 || (receive.amount == message.amount &&
                                                  (receive.measure == message.measure || receive.amount == 0));
    const bool data_fits = receive.bytes == any_bytes || receive.bytes == message.bytes;
    if (sizes_fit && data_fits) [[likely]] {
        return;
    }
    const auto bytes = [](std::uint64_t n) { return n == 0 ? std::string("no data") : fmt::format("{} B of data", n); };
    const Op posted{.kind = OpKind::receive, .peer = source, .tag = tag};
    const std::string wanted = sizes_fit ? bytes(receive.bytes) : describe_amount(receive.amount, receive.measure);
    const std::string sent = sizes_fit ? bytes(message.bytes) : describe_amount(message.amount, message.measure);
    throw MismatchError(fmt::format("sizes do not match at {}\n  rank {}, op {}: {} expects {}\n  rank {} sent {} at {}",
                                    describe_time(std::max(receive.since, message.end)), target, receive.op_number,
                                    describe(posted), wanted, source, sent, describe_time(message.begin)));
}

void Kernel::emit(int rank, const Op& op, std::uint32_t op_number, Time begin, Time end, Duration idle,
                  std::uint64_t message) {
    if (!on_span_) {
        return;
    }
    const bool has_peer = op.kind == OpKind::send || op.kind == OpKind::receive;
    on_span_({.rank = rank,
              .kind = op.kind,
              .op_number = op_number,
              .label = &names_->text(op.label),
              .peer = has_peer ? op.peer : -1,
              .tag = op.tag,
              .measure = op.measure,
              .amount = op.amount,
              .begin = begin,
              .end = end,
              .idle = idle,
              .message = message});
}

}  // namespace sim
