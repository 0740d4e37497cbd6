// Messages as flows over shared links: libsim/network/fair_share.hpp says who pays what, and when.
//
// What is sent now changes how long everything under way takes, so ops are replayed in the order of time: the links are
// followed up to the next rank's turn, and no further (next_turn).
#include "libsim/kernel/shared_links.hpp"

#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sim {

std::optional<SharedLinks> shared_links_of(const Cluster& cluster, int ranks) {
    const FairShare* const network = std::get_if<FairShare>(&cluster.network);
    if (network == nullptr) {
        return std::nullopt;
    }
    if (network->topology->gpus < ranks) {
        throw ProgramError(fmt::format("{} ranks do not fit onto the {} GPUs of {}", ranks, network->topology->gpus,
                                       network->topology->name));
    }
    return SharedLinks{.topology = network->topology, .flows = FlowNetwork(*network->topology)};
}

// False: the rank is blocked until its message is there.
bool Kernel::send_as_flow(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    const std::uint32_t payload = op.bytes > 0 ? self.payloads++ : 0;
    std::int64_t sender = the_program;
    if (is_asynchronous(op)) {
        sender = self.joinables.add({.op = op, .op_number = number, .begin = self.clock});
    } else {
        block(self, op, number);
    }
    start_flow(rank, self, op, {.op_number = number, .begin = self.clock, .payload = payload, .sender = sender});
    return is_asynchronous(op);
}

void Kernel::start_flow(int rank, Rank& self, const Op& op, const Departure& departure) {
    require_bytes(rank, op, departure.op_number, departure.begin);
    count_message(self, op);
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
        if (waiting->handle < the_program && !is_walk(waiting->handle)) {
            lane(of(op.peer), stream_of(waiting->handle)).busy_since = std::max(waiting->since, departure.begin);
        }
        if (is_walk(waiting->handle)) {
            walk_message_begins(walks_[waiting->handle], std::max(waiting->since, departure.begin));
        }
        matching_.drop_oldest(to);
    } else {
        matching_.new_message(to) = message;
    }
    SharedLinks& links = *shared_links_;
    links.route.clear();
    links.topology->append_route(rank, op.peer, links.route);
    const double at = std::max(static_cast<double>(departure.begin.time_since_epoch().count()), links.flows.now());
    const FlowNetwork::FlowId flow =
        links.flows.start(at, links.route, static_cast<double>(bytes_of(cluster_, Size{op.amount, op.measure})));
    if (flow >= links.transfer_of.size()) {
        links.transfer_of.resize(flow + 1);
    }
    links.transfer_of[flow] = message.transfer;
    ++flows_under_way_;
}

// True: `message` has come, and is no transfer any more. False: it is still under way.
bool Kernel::has_come(Message& message) {
    if (message.transfer == 0) {
        return true;
    }
    const Transfer& transfer = transfers_[message.transfer];
    if (!transfer.ended) {
        return false;
    }
    message.end = transfer.message.end;
    transfers_.drop(message.transfer);
    message.transfer = 0;
    return true;
}

// Who is out may yet send something at turn_at_ that all messages feel: nothing goes on beyond that.
std::optional<int> Kernel::next_turn_in_time() {
    FlowNetwork& flows = shared_links_->flows;
    while (true) {
        const std::optional<double> event = flows.next_event();
        const Time on_links = event ? end_of_flow(*event) : Time::max();
        const bool ranks_wait = !agenda_.empty();
        if (!event && !ranks_wait) {
            return std::nullopt;
        }
        const bool links_first = event && (!ranks_wait || on_links <= agenda_.next_at());
        const Time at = links_first ? on_links : agenda_.next_at();
        if (out_ > 0 && at > turn_at_) {
            return std::nullopt;
        }
        if (links_first) {
            shared_links_->ended.clear();
            flows.advance(shared_links_->ended);
            end_flows(at);
            continue;
        }
        turn_at_ = at;
        const int rank = agenda_.pop();
        if (of(rank).status == Status::due) {
            return hand_out(rank);
        }
        look_at_compute(rank, at);
    }
}

// In the order of the ranks and their ops: which flow got which number is nobody's business.
void Kernel::end_flows(Time at) {
    SharedLinks& links = *shared_links_;
    links.done.clear();
    for (const FlowNetwork::Ended& ended : links.ended) {
        links.done.push_back(links.transfer_of[ended.flow]);
    }
    std::sort(links.done.begin(), links.done.end(), [this](std::uint32_t a, std::uint32_t b) {
        const Transfer& first = transfers_[a];
        const Transfer& second = transfers_[b];
        return std::tuple(first.source, first.message.number, first.op.tag) <
               std::tuple(second.source, second.message.number, second.op.tag);
    });
    for (const std::uint32_t number : links.done) {
        end_flow(number, at);
    }
    wake_streams();
}

void Kernel::end_flow(std::uint32_t number, Time at) {
    --flows_under_way_;
    transfers_[number].ended = true;
    transfers_[number].message.end = at;
    const Transfer transfer = transfers_[number];
    if (transfer.receiver) {
        transfers_.drop(number);
    }
    end_send(transfer, at);
    if (transfer.receiver) {
        deliver(transfer.op.peer, *transfer.receiver, transfer.message);
    }
}

}  // namespace sim
