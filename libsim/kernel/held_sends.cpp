// Sends that hold their sender, and networks that time both ends of a message. On such networks the receiver pays when
// it takes the message, and a rendezvous releases its sender at that time.
//
// A program takes its messages in its own order, so nothing depends on which of two messages arrives first, and ops may
// be replayed in any order.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

// Negative tags belong to collectives. Their buffers are known beforehand, so their messages never wait.
Kernel::Sending Kernel::sending_at_ends(int rank, NumberedOp at, Time begin) {
    const Op& op = at.op;
    prices_.require_for_message(rank, op, at.number, begin);
    const std::int64_t bytes = bytes_of(cluster_, Size{op.amount, op.measure});
    SendTimes times = cluster_.network->send_at(begin, bytes);
    if (conditions_.change_messages()) {
        const auto slowed = [&](Time end) { return conditions_.end_of_message(rank, op.peer, begin, end - begin); };
        times.card = slowed(times.card);
        times.there = slowed(times.there);
    }
    return {
        .times = times,
        .waits_for_receiver = op.tag >= 0 && (cluster_.blocking_sends || cluster_.network->waits_for_receiver(bytes))};
}

// Holds a sender until its receive begins. An asynchronous send holds nobody until the program waits for it.
void Kernel::hold_sender(int rank, RankState& self, NumberedOp at, Owner sender, Message& message) {
    message.transfer = transfers_.add({.source = rank, .sender = sender, .op = at.op, .message = message});
    if (sender.kind() == Owner::Kind::stream) {
        block(self, sender.stream(), at);
    }
}

// A receive was posted for a message that holds its sender: the sender goes on when both are there.
void Kernel::release_sender(Message& message, Time posted) {
    if (message.transfer == TransferId::none || (links_ && !transfers_[message.transfer].ended)) {
        return;  // a message still under way releases its sender when it ends
    }
    const Transfer met = transfers_[message.transfer];
    if (!links_) {
        transfers_.drop(message.transfer);
        message.transfer = TransferId::none;
    }
    end_send(met, std::max(posted, met.message.end));
}

// The end of a receive that is ready for `message` at `ready`. The receive's begin ends a rendezvous.
Time Kernel::take(Time& card, Time ready, const Message& message) {
    const Time begin = std::max({ready, card, message.end});
    const ReceiveTimes ends =
        cluster_.network->receive_at(begin, bytes_of(cluster_, Size{message.amount, message.measure}));
    card = ends.card;
    if (message.transfer != TransferId::none) {
        const Transfer met = transfers_[message.transfer];
        transfers_.drop(message.transfer);
        end_send(met, begin);
    }
    return ends.processor;
}

// End of an asynchronous receive. If both ends are timed, the program still has to take the message from its network
// card. Until it has, this is the end of the receive if it had the card to itself.
Time Kernel::end_of_asynchronous(int rank, const Joinable& joinable, const Message& message) {
    Time alone{};
    return times_ends_ ? take(alone, joinable.begin, message)
                       : later(std::max(joinable.begin, message.end), prices_.acknowledgement(joinable.op.peer, rank));
}

// A held sender goes on. Waiting for the receiver counts as idle, waiting for the links as sending.
void Kernel::end_send(const Transfer& transfer, Time at) {
    const int rank = transfer.source;
    RankState& self = of(rank);
    const Message& message = transfer.message;
    if (transfer.sender.kind() == Owner::Kind::walk) {
        return end_walk_send(transfer.sender.walk(), at);
    }
    if (transfer.sender.kind() == Owner::Kind::async) {
        const AsyncId id = transfer.sender.async();
        Joinable& joinable = *self.joinables.find(id);
        joinable.end = std::max(joinable.end, at);
        joinable.done = true;
        joinable.message = message;
        return async_ended(rank, self, id);
    }
    const Stream on = transfer.sender.stream();
    StreamState& state = self.at(on);
    const Duration held = std::max(at - state.clock, Duration{0});
    const Duration idle = times_ends_ ? held : std::max(at - std::max(state.clock, message.end), Duration{0});
    self.spend(on, {.idle = idle, .end = state.clock + held});
    state.send_port_free = std::max(state.send_port_free, at);
    const NumberedOp in = self.in(on);
    emit(rank, in.op, in.number, message.begin, state.clock, idle, id_of(rank, message));
    resume(rank, self, on);
}

}  // namespace sim::kernel
