#include "libsim/kernel/kernel.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
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

namespace {

std::vector<int> nodes_of_places(const Nccl* network, int ranks) {
    if (network == nullptr || network->places.empty()) {
        return {};
    }
    check(network->places.size() == static_cast<std::size_t>(ranks), "{} ranks have {} places", ranks,
          network->places.size());
    std::vector<int> nodes;
    nodes.reserve(network->places.size());
    for (const int place : network->places) {
        nodes.push_back(network->ranks_per_node > 0 ? place / network->ranks_per_node : 0);
    }
    return nodes;
}

}  // namespace

Kernel::Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups,
               const KernelOptions& options)
    : cluster_(cluster),
      names_(&names),
      groups_(&groups),
      on_span_(options.on_span),
      agenda_(options.order, ranks),
      loggp_(std::get_if<LogGP>(&cluster_.network)),
      nccl_(std::get_if<Nccl>(&cluster_.network)),
      shared_links_(shared_links_of(cluster_, ranks)),
      holds_senders_(loggp_ != nullptr || shared_links_),
      board_(groups),
      ranks_(static_cast<std::size_t>(ranks)),
      ranks_per_node_(ranks_per_node(cluster)),
      node_of_(nodes_of_places(nccl_, ranks)),
      prices_of_whole_(nccl_ != nullptr ? 64 : 0),
      acknowledgements_{acknowledgement_time(cluster, Hop::within), acknowledgement_time(cluster, Hop::across)},
      beside_streams_(slowed({1, 1}, cluster.compute.overlap_slowdown)),
      due_(ranks) {
    check(!shared_links_ || options.order == Order::time, "links are shared in the order of time");
    for (int rank = 0; rank < ranks; ++rank) {
        agenda_.push({Time{}, rank, 0});
    }
}

std::optional<int> Kernel::next_turn() {
    if (shared_links_) {
        return next_turn_in_time();
    }
    if (agenda_.empty() && out_ == 0 && postponed_ > 0) {
        go_on_without_streams();
    }
    return agenda_.empty() ? std::nullopt : std::optional(hand_out(agenda_.pop()));
}

int Kernel::hand_out(int rank) {
    of(rank).status = Status::out;
    --due_;
    ++out_;
    return rank;
}

Duration Kernel::new_price(LastPrice& last, int rank, const Op& op, std::uint32_t op_number, Time at) const {
    try {
        const bool is_compute = op.kind == OpKind::compute;
        const Duration price = is_compute ? compute_time(cluster_, rank, Work{op.amount, op.measure})
                                          : transfer_time(cluster_, Size{op.amount, op.measure}, hop(rank, op.peer));
        if (!is_compute || cluster_.compute.slowdown.empty()) {  // else the next rank's price is another
            last = {op.amount, op.measure, price};
        }
        return price;
    } catch (const ProgramError& error) {
        throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank, op_number, describe(op), describe_time(at),
                                       error.what()));
    }
}

Kernel::Memory& Kernel::held(Rank& self, Measure measure) {
    return measure == Measure::bytes ? self.bytes_held : self.billionths_held;
}

void Kernel::allocate(int rank, Rank& self, const Op& op) {
    Memory& memory = held(self, op.measure);
    if (__builtin_add_overflow(memory.now, op.amount, &memory.now)) {
        throw ProgramError(
            fmt::format("rank {} allocates at {} more memory than 64 bits can count", rank, describe_time(self.clock)));
    }
    if (memory.now < 0) {
        throw ProgramError(fmt::format("rank {} frees at {} {} more than it has allocated", rank,
                                       describe_time(self.clock), describe_amount(-memory.now, op.measure)));
    }
    memory.peak = std::max(memory.peak, memory.now);
    emit(rank, op, self.op_number, self.clock, self.clock, Duration{0}, 0);
}

void Kernel::block(Rank& self, const Op& op, std::uint32_t op_number) {
    self.pending = op;
    self.pending_number = op_number;
    self.status = Status::blocked;
}

void Kernel::unblock(int rank, Rank& self) {
    self.status = Status::due;
    ++due_;
    agenda_.push({self.clock, rank, self.op_number});
}

void Kernel::throw_unless_fit(int target, const Op& receive, std::uint32_t number, Time posted,
                              const Message& message) const {
    const bool sizes_fit = receive.amount < 0 || (receive.amount == message.amount &&
                                                  (receive.measure == message.measure || receive.amount == 0));
    const bool data_fits = receive.bytes == any_bytes || receive.bytes == message.bytes;
    if (sizes_fit && data_fits) {
        return;
    }
    const auto bytes = [](std::uint64_t n) { return n == 0 ? std::string("no data") : fmt::format("{} B of data", n); };
    const std::string wanted = sizes_fit ? bytes(receive.bytes) : describe_amount(receive.amount, receive.measure);
    const std::string sent = sizes_fit ? bytes(message.bytes) : describe_amount(message.amount, message.measure);
    throw MismatchError(
        fmt::format("sizes do not match at {}\n  rank {}, op {}: {} expects {}\n  rank {} sent {} at {}",
                    describe_time(std::max(posted, message.end)), target, number, describe(receive), wanted,
                    receive.peer, sent, describe_time(message.begin)));
}

void Kernel::emit(int rank, const Op& op, std::uint32_t op_number, Time begin, Time end, Duration idle,
                  std::uint64_t message) {
    if (!on_span_) {
        return;
    }
    const bool has_peer = op.kind == OpKind::send || op.kind == OpKind::receive;
    on_span_({.rank = rank,
              .kind = op.kind,
              .stream = op.stream,
              .op_number = op_number,
              .label = &names_->text(op.label),
              .peer = has_peer ? op.peer : -1,
              .tag = op.tag,
              .measure = op.measure,
              .amount = op.kind == OpKind::allocate ? held(of(rank), op.measure).now : op.amount,
              .begin = begin,
              .end = end,
              .idle = idle,
              .message = message});
}

RankTotals Kernel::totals(int rank, Time run_end) const {
    const Rank& self = of(rank);
    return {.compute = self.computing,
            .communication = self.communicating,
            .idle = (run_end - Time{}) - self.computing - self.communicating,
            .idle_in_collectives = self.idle_in_collectives,
            .end = self.clock,
            .bytes_sent = self.bytes_sent,
            .billionths_sent = self.billionths_sent,
            .messages_sent = self.messages,
            .peak_bytes = self.bytes_held.peak,
            .peak_billionths = self.billionths_held.peak,
            .ops = self.op_number};
}

Time Kernel::end() const {
    Time last{};
    for (const Rank& rank : ranks_) {
        last = std::max(last, rank.clock);
    }
    return last;
}

}  // namespace sim
