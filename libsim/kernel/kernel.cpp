#include "libsim/kernel/kernel.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

std::uint64_t id_of(int source, const Message& message) {
    return (static_cast<std::uint64_t>(source) << 32U) | message.number;
}

Op received(Op op, const Message& message) {
    op.amount = message.amount;
    op.measure = message.measure;
    return op;
}

namespace {

std::optional<LinkTraffic> traffic_on(const Network& network, int ranks, const faults::Conditions& conditions) {
    const auto topology = network->shared_topology();
    return topology != nullptr
               ? std::optional<LinkTraffic>(std::in_place, topology, ranks, conditions.bandwidth_changes())
               : std::nullopt;
}

}  // namespace

Kernel::Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups,
               const KernelOptions& options)
    : cluster_(cluster),
      names_(&names),
      groups_(&groups),
      on_span_(options.on_span),
      on_log_(options.on_log),
      on_ops_(options.on_ops),
      on_steps_(options.on_steps),
      begin_(options.begin),
      agenda_(options.order, ranks),
      conditions_(options.faults, ranks, cluster_.network),
      prices_(cluster_, ranks, conditions_),
      times_ends_(cluster_.network->times_ends()),
      links_(traffic_on(cluster_.network, ranks, conditions_)),
      may_hold_senders_(times_ends_ || links_ || cluster_.blocking_sends),
      sends_specially_(may_hold_senders_ || conditions_.lose_messages()),
      rendezvous_(groups),
      ranks_(static_cast<std::size_t>(ranks)),
      overlap_pace_(slowed({1, 1}, cluster.compute.overlap_slowdown)),
      due_(ranks) {
    check(!links_ || options.order == Order::time, "links are shared in the order of time");
    if (cluster_.network->prices_collectives()) {
        whole_prices_.emplace(cluster_, groups);
    }
    for (int rank = 0; rank < ranks; ++rank) {
        of(rank).program.clock = begin_;
        agenda_.push({begin_, rank, 0});
    }
}

std::optional<int> Kernel::next_turn() {
    if (links_) {
        return next_turn_in_time();
    }
    if (agenda_.empty() && out_ == 0) {
        resolve_earliest();
    }
    return agenda_.empty() ? std::nullopt : std::optional(hand_out(agenda_.pop()));
}

// Called when no rank can go on by itself. Proceeds with the earliest of the computations that wait for their streams'
// times and the questions.
void Kernel::resolve_earliest() {
    const auto question = questions_ ? questions_->first() : std::nullopt;
    const auto compute = postponed_ > 0 ? first_postponed_compute() : std::nullopt;
    if (compute && (!question || compute->at <= question->at)) {
        end_postponed_compute(compute->rank, of(compute->rank), Time{});
    } else if (question) {
        answer_first_question();
    }
}

int Kernel::hand_out(int rank) {
    of(rank).status = Status::out;
    --due_;
    ++out_;
    return rank;
}

FaultEffect Kernel::injected_fault(int rank) const {
    if (!conditions_.interrupt(rank)) {
        return FaultEffect::nothing;
    }
    const Time at = time(rank);
    return at >= conditions_.dies_at(rank)         ? FaultEffect::death
           : conditions_.goes_on_at(rank, at) > at ? FaultEffect::stop
                                                   : FaultEffect::nothing;
}

void Kernel::suspend(int rank) {
    RankState& self = of(rank);
    check(self.status == Status::out, "rank {} is stopped out of turn", rank);
    const Time at = self.program.clock;
    const Time goes_on = conditions_.goes_on_at(rank, at);
    self.spend(Stream::main, {.idle = goes_on - at, .end = goes_on});
    --out_;
    unblock(rank, self);
}

bool Kernel::apply(int rank) {
    switch (injected_fault(rank)) {
        case FaultEffect::nothing: return false;
        case FaultEffect::stop: suspend(rank); break;
        case FaultEffect::death: lose(rank); break;
    }
    return true;
}

void Kernel::lose(int rank) {
    check(of(rank).status == Status::out, "rank {} is lost out of turn", rank);
    of(rank).status = Status::lost;
    --out_;
    ++lost_;
}

std::vector<int> Kernel::dead_ranks() const {
    std::vector<int> dead;
    for (int rank = 0; lost_ > 0 && rank < ranks(); ++rank) {
        if (status(rank) == Status::lost) {
            dead.push_back(rank);
        }
    }
    return dead;
}

void Kernel::allocate(int rank, RankState& self, const Op& op) {
    HeldMemory& memory = self.held(op.measure);
    const Time now = self.program.clock;
    if (__builtin_add_overflow(memory.now, op.amount, &memory.now)) {
        throw ProgramError(
            fmt::format("rank {} allocates at {} more memory than 64 bits can count", rank, describe_time(now)));
    }
    if (memory.now < 0) {
        throw ProgramError(fmt::format("rank {} frees at {} {} more than it has allocated", rank, describe_time(now),
                                       describe_amount(-memory.now, op.measure)));
    }
    memory.peak = std::max(memory.peak, memory.now);
    emit(rank, op, self.op_number, now, now, Duration{0}, 0);
}

void Kernel::unblock(int rank, RankState& self) {
    if (questions_ && !self.is_blocked_in(OpKind::look) && !self.is_blocked_in(OpKind::test) &&
        self.status == Status::blocked) [[unlikely]] {
        questions_->note_progress();
    }
    self.status = Status::due;
    ++due_;
    agenda_.push({self.program.clock, rank, self.op_number});
}

// Stops the program, whatever its last op was. Requires: called in the catch handler of the op's error.
void Kernel::halt(int rank, RankState& self) {
    mistakes_.note({self.program.clock, rank, self.op_number}, std::current_exception());
    self.status = Status::halted;
}

std::optional<FoundMistake> Kernel::first_mistake() const {
    std::optional<FoundMistake> mismatch = rendezvous_.first_mismatch();
    const std::optional<FoundMistake>& other = mistakes_.first();
    // Messages between members that disagree rarely match, so the disagreement is the better explanation.
    return !other || (mismatch && mismatch->place.at <= other->place.at) ? mismatch : other;
}

bool Kernel::fits_or_is_noted(int target, NumberedOp at, Time posted, const Message& message) {
    const Op& receive = at.op;
    const bool sizes_fit = receive.amount < 0 || (receive.amount == message.amount &&
                                                  (receive.measure == message.measure || receive.amount == 0));
    const bool data_fits = receive.bytes == any_bytes || receive.bytes == message.bytes;
    if (sizes_fit && data_fits) {
        return true;
    }
    const auto bytes = [](std::uint64_t n) { return n == 0 ? std::string("no data") : fmt::format("{} B of data", n); };
    const std::string wanted = sizes_fit ? bytes(receive.bytes) : describe_amount(receive.amount, receive.measure);
    const std::string sent = sizes_fit ? bytes(message.bytes) : describe_amount(message.amount, message.measure);
    const Time when = std::max(posted, message.end);
    const std::string text = fmt::format(
        "sizes do not match at {}\n  rank {}, op {}: {} expects {}\n  rank {} sent {} at {}", describe_time(when),
        target, at.number, describe(receive), wanted, receive.peer, sent, describe_time(message.begin));
    std::vector<WrongOp> ops{
        {.rank = target, .op_number = at.number, .what = describe(receive), .waits_for = receive.peer}};
    mistakes_.note({when, target, at.number}, std::make_exception_ptr(Mismatch(text, std::move(ops))));
    return false;
}

void Kernel::emit(int rank, const Op& op, std::uint32_t op_number, Time begin, Time end, Duration idle,
                  std::uint64_t message) {
    if (!on_span_) {
        return;
    }
    const bool has_peer = op.kind == OpKind::send || op.kind == OpKind::receive;
    const bool computes = op.kind == OpKind::compute;
    const bool is_collective = op.kind == OpKind::collective;
    const CollectiveWord word = is_collective ? collective_word(op) : CollectiveWord{};
    on_span_({.rank = rank,
              .kind = op.kind,
              .stream = op.stream,
              .op_number = op_number,
              .label = &names_->text(op.label),
              .peer = has_peer ? op.peer : -1,
              .tag = computes ? 0 : op.tag,
              .measure = op.measure,
              .amount = op.kind == OpKind::allocate ? of(rank).held(op.measure).now : op.amount,
              .purpose = computes ? op.tag : 0,
              .collective = word.kind,
              .group = is_collective ? &groups_->group(word.group) : nullptr,
              .begin = begin,
              .end = end,
              .idle = idle,
              .message = message});
}

std::int64_t Kernel::messages_sent() const {
    std::int64_t sent = 0;
    for (const RankState& rank : ranks_) {
        sent += rank.messages;
    }
    return sent;
}

Time Kernel::end() const {
    Time last = begin_;
    for (const RankState& rank : ranks_) {
        last = std::max(last, rank.program.clock);
    }
    return last;
}

}  // namespace sim::kernel
