// Messages that share links (link_traffic.hpp).
//
// A new message changes the time of every message under way, so ops are replayed in time order: the links are advanced
// up to the next rank's turn and no further.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>
#include <tuple>

namespace sim::kernel {

// False: the stream is blocked until its message arrives.
bool Kernel::send_as_flow(int rank, RankState& self, Stream on, NumberedOp at) {
    const Time begin = self.at(on).clock;
    Owner sender = on;
    if (is_asynchronous(at.op)) {
        sender = self.joinables.add({.op = at.op, .op_number = at.number, .begin = begin});
    } else {
        block(self, on, at);
        self.begins_busy(on, begin);
    }
    start_flow(rank, self, at.op, {.op_number = at.number, .begin = begin, .payload = at.payload, .sender = sender});
    return is_asynchronous(at.op);
}

void Kernel::start_flow(int rank, RankState& self, const Op& op, const Departure& departure) {
    prices_.require_for_message(rank, op, departure.op_number, departure.begin);
    self.count_message(op);
    if (loses(rank, op, departure.begin)) {  // in a collective, the member waits forever
        return lost_messages_.note(rank, op);
    }
    Message message{.begin = departure.begin,
                    .amount = op.amount,
                    .bytes = op.bytes,
                    .payload = departure.payload,
                    .number = departure.op_number + 1,
                    .measure = op.measure};
    message.transfer = transfers_.add({.source = rank, .sender = departure.sender, .op = op, .message = message});
    const Matching::Channel to =
        matching_.channel(rank, op.peer, op.tag, is_asynchronous(op) ? Stream::main : op.stream);
    if (const WaitingReceive* const waiting = matching_.oldest_receive(to)) {
        transfers_[message.transfer].receiver = *waiting;
        note_busy_receiver(op.peer, waiting->owner, std::max(waiting->since, departure.begin));
        matching_.drop_oldest(to);
    } else {
        matching_.new_message(to) = message;
    }
    links_->start(message.transfer, rank, op.peer, bytes_of(cluster_, Size{op.amount, op.measure}), departure.begin,
                  std::min(departure.begin, latest_turn_));
}

// The receiver has begun to wait for a message that is under way.
void Kernel::note_busy_receiver(int rank, Owner owner, Time from) {
    if (owner.kind() == Owner::Kind::stream) {
        of(rank).begins_busy(owner.stream(), from);
    } else if (owner.kind() == Owner::Kind::walk) {
        walk_message_begins(walks_[owner.walk()], from);
    }
}

// True: `message` has arrived, and its transfer is dropped. False: it is still under way.
bool Kernel::has_arrived(Message& message) {
    if (message.transfer == TransferId::none) {
        return true;
    }
    const Transfer& transfer = transfers_[message.transfer];
    if (!transfer.ended) {
        return false;
    }
    message.end = transfer.message.end;
    transfers_.drop(message.transfer);
    message.transfer = TransferId::none;
    return true;
}

// A rank that is out may still send a message at turn_at_ that slows all others, so time does not advance beyond it.
std::optional<int> Kernel::next_turn_in_time() {
    while (true) {
        const std::optional<Time> event = links_->next_event();
        const bool ranks_wait = !agenda_.empty();
        const auto question = questions_ ? questions_->first() : std::nullopt;
        if (!event && !ranks_wait && !question) {
            return std::nullopt;
        }
        const bool links_first = event && (!ranks_wait || *event <= agenda_.next_at());
        const Time at = links_first ? *event : ranks_wait ? agenda_.next_at() : Time::max();
        // Everything that arrives by the time of a question is processed before it is answered.
        if (question && question->at < at) {
            if (out_ > 0) {
                return std::nullopt;
            }
            latest_turn_ = question->at;
            answer_first_question();
            continue;
        }
        if (out_ > 0 && at > latest_turn_) {
            return std::nullopt;
        }
        latest_turn_ = std::max(latest_turn_, at);
        if (links_first) {
            end_flows(links_->advance(), at);
            continue;
        }
        const int rank = agenda_.pop();
        if (of(rank).status == Status::due) {
            return hand_out(rank);
        }
        recheck_compute(rank, at);
    }
}

// Sorted by rank and op number: the ids of flows must not affect the result.
void Kernel::end_flows(std::vector<TransferId>& ended, Time at) {
    std::sort(ended.begin(), ended.end(), [this](TransferId a, TransferId b) {
        const Transfer& first = transfers_[a];
        const Transfer& second = transfers_[b];
        return std::tuple(first.source, first.message.number, first.op.tag) <
               std::tuple(second.source, second.message.number, second.op.tag);
    });
    for (const TransferId id : ended) {
        end_flow(id, at);
    }
    wake_streams();
}

void Kernel::end_flow(TransferId id, Time at) {
    transfers_[id].ended = true;
    transfers_[id].message.end = at;
    const Transfer transfer = transfers_[id];
    if (transfer.receiver) {
        transfers_.drop(id);
    }
    if (questions_ && !transfer.receiver) {
        note_for_question(transfer.source, transfer.op, at);
    }
    if (transfer.receiver || !waits_for_receiver(transfer.op)) {
        end_send(transfer, at);
    }
    if (transfer.receiver) {
        deliver(transfer.op.peer, *transfer.receiver, transfer.message);
    }
}

}  // namespace sim::kernel
