// Sends that do more than take their time: those that hold their sender, share links, or are lost; and networks that
// time both ends of a message. On such networks the receiver pays when it takes the message, and a rendezvous releases
// its sender at that time.
//
// A program takes its messages in its own order, so nothing depends on which of two messages arrives first, and ops may
// be replayed in any order.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

// False: the stream is blocked until its message arrives.
bool Kernel::send_as_flow(int rank, RankState& self, Stream on, NumberedOp at) {
    const Time begin = self.at(on).clock;
    Owner sender = on;
    if (is_asynchronous(at.op)) {
        sender = self.joinables.add({.op = at.op, .op_number = at.number, .begin = begin});
    } else {
        self.block(on, at);
        self.begins_busy(on, begin);
    }
    links_->send(rank, at.op, {.op_number = at.number, .begin = begin, .payload = at.payload, .sender = sender});
    return is_asynchronous(at.op);
}

// A sender that need not wait for its message goes on as if it had arrived. False: the stream is blocked forever.
bool Kernel::send_lost(int rank, RankState& self, Stream on, NumberedOp at, Time begin) {
    const Op& op = at.op;
    const SendRules& rules = transfers_.rules();
    self.count_message(op);
    Sending sending;
    if (rules.times_ends) {
        sending = prices_.sending_at_ends(rank, op, at.number, begin);
    } else if (!links_) {
        const Time sent = later(begin, prices_.message(rank, op, at.number, begin));
        sending = {.times = {.processor = sent, .card = sent, .there = sent}};
        sending.waits_for_receiver = rules.waits_for_receiver(op);
    }
    // On shared links a sender waits for the arrival, which a lost message never has.
    const bool waits = links_ || sending.waits_for_receiver;
    StreamState& state = self.at(on);
    if (!links_) {
        state.send_port_free = sending.times.card;
    }
    if (is_asynchronous(op)) {
        self.joinables.add({.op = op,
                            .op_number = at.number,
                            .done = !waits,
                            .begin = begin,
                            .end = waits ? begin : sending.times.processor});
        if (!waits && !rules.may_hold) {
            spans_.write(rank, at, begin, sending.times.processor);
        }
        return true;
    }
    if (waits) {
        self.block(on, at);
        return false;
    }
    self.spend(on, {.end = sending.times.processor});
    spans_.write(rank, at, begin, sending.times.processor);
    return true;
}

// Holds a sender until its receive begins. An asynchronous send holds nobody until the program waits for it.
void Kernel::hold_sender(int rank, RankState& self, NumberedOp at, Owner sender, Message& message) {
    // `ended` tells this message, which is there and lacks only a receive, from one that is still under way.
    message.transfer =
        transfers_.add({.source = rank, .sender = sender, .op = at.op, .message = message, .ended = true});
    if (sender.kind() == Owner::Kind::stream) {
        self.block(sender.stream(), at);
    }
}

// A receive was posted for a message that holds its sender: the sender goes on when both are there.
void Kernel::release_sender(Message& message, Time posted) {
    if (message.transfer == TransferId::none || !transfers_[message.transfer].ended) {
        return;  // a message still under way releases its sender when it ends
    }
    const Transfer met = transfers_[message.transfer];
    // With shared links, has_arrived() still needs the transfer, and drops it.
    if (!links_) {
        transfers_.drop(message.transfer);
        message.transfer = TransferId::none;
    }
    end_send(met, std::max(posted, met.message.end));
}

// The end of a receive that is ready for `message` at `ready`. The receive's begin ends a rendezvous.
Time Kernel::take(Time& card, Time ready, const Message& message) {
    const Time begin = std::max({ready, card, message.end});
    const ReceiveTimes ends = prices_.receiving(begin, message);
    card = ends.card;
    if (message.transfer != TransferId::none) {
        end_send(transfers_.take(message.transfer), begin);
    }
    return ends.processor;
}

// End of an asynchronous receive. If both ends are timed, the program still has to take the message from its network
// card. Until it has, this is the end of the receive if it had the card to itself.
Time Kernel::end_of_asynchronous(int rank, const Joinable& joinable, const Message& message) {
    Time alone{};
    return transfers_.rules().times_ends
               ? take(alone, joinable.begin, message)
               : later(std::max(joinable.begin, message.end), prices_.acknowledgement(joinable.op.peer, rank));
}

// A held sender goes on. Waiting for the receiver counts as idle, waiting for the links as sending.
void Kernel::end_send(const Transfer& transfer, Time at) {
    const int rank = transfer.source;
    RankState& self = ranks_[rank];
    const Message& message = transfer.message;
    if (transfer.sender.kind() == Owner::Kind::walk) {
        return end_of_walk(walks_->end_send(transfer.sender.walk(), at));
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
    const Duration idle =
        transfers_.rules().times_ends ? held : std::max(at - std::max(state.clock, message.end), Duration{0});
    self.spend(on, {.idle = idle, .end = state.clock + held});
    state.send_port_free = std::max(state.send_port_free, at);
    spans_.write(rank, self.in(on), message.begin, state.clock, idle, id_of(rank, message));
    resume(rank, self, on);
}

}  // namespace sim::kernel
