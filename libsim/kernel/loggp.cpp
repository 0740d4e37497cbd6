// Messages on a LogGP network: libsim/network/loggp.hpp says who pays what, and when.
//
// A receiver pays when its program takes the message, in the order of the program. So nothing depends on which of two
// messages is there first, and ops may be replayed in any order.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim {

namespace {

// Tags below 0 are those of collectives.
bool is_rendezvous(const LogGP& network, const Op& op, std::int64_t bytes) {
    return bytes > network.eager_limit.count && op.tag >= 0;
}

Message message_of(const Op& op, std::uint32_t op_number, Time begin, const LogGPSend& ends, std::uint32_t payload) {
    return {.begin = begin,
            .end = ends.first_byte,
            .amount = op.amount,
            .bytes = op.bytes,
            .payload = payload,
            .number = op_number + 1,
            .measure = op.measure};
}

}  // namespace

// False: the rank is blocked until its receiver has come.
bool Kernel::send_by_loggp(int rank, Rank& self, const Op& op) {
    const Matching::Channel to = matching_.channel(rank, op.peer, op.tag);
    const std::uint32_t number = self.op_number++;
    const Time begin = std::max(self.clock, self.sends_free);
    require_bytes(rank, op, number, begin);
    const std::int64_t bytes = bytes_of(cluster_, Size{op.amount, op.measure});
    const LogGPSend ends = send_at(*loggp_, begin, bytes);
    const Message message = message_of(op, number, begin, ends, op.bytes > 0 ? self.payloads++ : 0);
    count_message(self, op);
    self.communicating += ends.processor - self.clock;
    self.clock = ends.processor;
    self.sends_free = ends.card;
    const bool meets = is_rendezvous(*loggp_, op, bytes);
    std::int64_t sender = the_program;
    if (is_asynchronous(op)) {
        sender = self.joinables.add(
            {.op = op, .op_number = number, .done = !meets, .begin = begin, .end = ends.processor, .message = message});
    } else if (meets) {
        block(self, op, number);
    }
    if (!meets && !is_asynchronous(op)) {
        emit(rank, op, number, begin, ends.processor, Duration{0}, id_of(rank, message));
    }
    leave_by_loggp(rank, op, to, message, sender, meets);
    return !meets || is_asynchronous(op);
}

bool Kernel::send_on_by_loggp(int rank, Rank& self, Lane& at, const Lane::Issued& issued) {
    const Op& op = issued.op;
    const Matching::Channel to = matching_.channel(rank, op.peer, op.tag, op.stream);
    const Time begin = std::max(at.clock, at.sends_free);
    require_bytes(rank, op, issued.op_number, begin);
    const std::int64_t bytes = bytes_of(cluster_, Size{op.amount, op.measure});
    const LogGPSend ends = send_at(*loggp_, begin, bytes);
    const Message message = message_of(op, issued.op_number, begin, ends, issued.payload);
    count_message(self, op);
    note(at.busy, at.clock, ends.processor);
    at.clock = ends.processor;
    at.sends_free = ends.card;
    const bool meets = is_rendezvous(*loggp_, op, bytes);
    if (!meets) {
        emit(rank, op, issued.op_number, begin, ends.processor, Duration{0}, id_of(rank, message));
    }
    leave_by_loggp(rank, op, to, message, handle_of(op.stream), meets);
    return !meets;
}

void Kernel::leave_by_loggp(int rank, const Op& op, Matching::Channel to, Message message, std::int64_t sender,
                            bool meets) {
    if (meets) {
        message.transfer = transfers_.add({.source = rank, .sender = sender, .op = op, .message = message});
    }
    if (const WaitingReceive* const waiting = matching_.oldest_receive(to)) {
        const WaitingReceive receive = *waiting;
        matching_.drop_oldest(to);
        deliver(op.peer, receive, message);
    } else {
        matching_.new_message(to) = message;
    }
}

// The end of a receive that is ready for `message` at `ready`. A rendezvous is over when it begins.
Time Kernel::end_by_loggp(Time& card, Time ready, const Message& message) {
    const Time begin = std::max({ready, card, message.end});
    const LogGPReceive ends = receive_at(*loggp_, begin, bytes_of(cluster_, Size{message.amount, message.measure}));
    card = ends.card;
    if (message.transfer != 0) {
        const Transfer met = transfers_[message.transfer];
        transfers_.drop(message.transfer);
        end_send(met, begin);
    }
    return ends.processor;
}

}  // namespace sim
