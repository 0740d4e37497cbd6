#include "libsim/kernel/features/shared_links.hpp"

#include <algorithm>
#include <tuple>

namespace sim::kernel {

namespace {

// The receiver has begun to wait for a message that is under way.
void note_busy(RankState& receiver, const Op& send, Owner owner, Time from) {
    if (owner.kind() == Owner::Kind::stream) {
        receiver.begins_busy(owner.stream(), from);
    } else if (owner.kind() == Owner::Kind::walk) {
        receiver.walk_message_begins(send.stream, from);
    }
}

}  // namespace

SharedLinks::SharedLinks(std::shared_ptr<const Topology> topology, const Prices& prices,
                         const faults::Conditions& conditions, Losses& losses, Ranks& ranks, Matching& matching,
                         Transfers& transfers)
    : traffic_(std::move(topology), ranks.size(), conditions.bandwidth_changes()),
      prices_(&prices),
      losses_(&losses),
      ranks_(&ranks),
      matching_(&matching),
      transfers_(&transfers) {}

void SharedLinks::send(int rank, const Op& op, const Departure& departure) {
    prices_->require_for_message(rank, op, departure.op_number, departure.begin);
    (*ranks_)[rank].count_message(op);
    if (losses_->lose(rank, op, departure.begin)) {  // in a collective, the member waits forever
        return;
    }
    Message message{.begin = departure.begin,
                    .amount = op.amount,
                    .bytes = op.bytes,
                    .payload = departure.payload,
                    .number = departure.op_number + 1,
                    .measure = op.measure};
    message.transfer = transfers_->add({.source = rank, .sender = departure.sender, .op = op, .message = message});
    const Matching::Channel to =
        matching_->channel(rank, op.peer, op.tag, is_asynchronous(op) ? Stream::main : op.stream);
    if (const WaitingReceive* const waiting = matching_->oldest_receive(to)) {
        (*transfers_)[message.transfer].receiver = *waiting;
        note_busy((*ranks_)[op.peer], op, waiting->owner, std::max(waiting->since, departure.begin));
        matching_->drop_oldest(to);
    } else {
        matching_->new_message(to) = message;
    }
    traffic_.start(message.transfer, rank, op.peer, bytes_of(prices_->cluster(), Size{op.amount, op.measure}),
                   departure.begin, std::min(departure.begin, now_));
}

bool SharedLinks::has_arrived(Message& message) {
    if (message.transfer == TransferId::none) {
        return true;
    }
    const Transfer& transfer = (*transfers_)[message.transfer];
    if (!transfer.ended) {
        return false;
    }
    message.end = transfer.message.end;
    transfers_->drop(message.transfer);
    message.transfer = TransferId::none;
    return true;
}

// Sorted: the ids of flows must not affect the result.
const std::vector<TransferId>& SharedLinks::advance() {
    std::vector<TransferId>& ended = traffic_.advance();
    std::sort(ended.begin(), ended.end(), [this](TransferId a, TransferId b) {
        const Transfer& first = (*transfers_)[a];
        const Transfer& second = (*transfers_)[b];
        return std::tuple(first.source, first.message.number, first.op.tag) <
               std::tuple(second.source, second.message.number, second.op.tag);
    });
    return ended;
}

Transfer SharedLinks::end(TransferId id, Time at) {
    Transfer& transfer = (*transfers_)[id];
    transfer.ended = true;
    transfer.message.end = at;
    if (transfer.receiver) {
        transfers_->drop(id);
    }
    return transfer;
}

}  // namespace sim::kernel
