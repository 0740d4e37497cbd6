#include "libsim/kernel.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

Kernel::Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups, const KernelOptions& options)
    : cluster_(cluster),
      names_(&names),
      groups_(&groups),
      on_span_(options.on_span),
      agenda_(options.order, ranks),
      board_(groups),
      ranks_(static_cast<std::size_t>(ranks)),
      acknowledgement_(acknowledgement_time(cluster)),
      due_(ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
        agenda_.push({Time{}, rank, 0});
    }
}

std::optional<int> Kernel::next_turn() {
    if (agenda_.empty()) {
        return std::nullopt;
    }
    const int rank = agenda_.pop();
    of(rank).status = Status::out;
    --due_;
    ++out_;
    return rank;
}

std::size_t Kernel::accept(int rank, std::span<const Op> ops) {
    Rank& self = of(rank);
    check(self.status == Status::out, "rank {} acts out of turn", rank);
    const Time before = self.clock;
    std::size_t taken = 0;
    bool goes_on = true;
    while (goes_on && taken < ops.size()) {
        goes_on = carry_out(rank, ops[taken]);
        ++taken;
        if (agenda_.order() == Order::time && self.clock != before) {
            break;
        }
    }
    --out_;
    if (goes_on) {
        unblock(rank, self);
    }
    return taken;
}

bool Kernel::carry_out(int rank, const Op& op) {
    Rank& self = of(rank);
    switch (op.kind) {
        case OpKind::compute: compute(rank, self, op); return true;
        case OpKind::send: send(rank, self, op); return true;
        case OpKind::receive: return receive(rank, self, op);
        case OpKind::wait: return wait(rank, self, op);
        case OpKind::collective: return collective(rank, self, op);
        case OpKind::enter: board_.arrive(rank, self.op_number, self.clock, op); return true;
        case OpKind::log: emit(rank, op, self.op_number, self.clock, self.clock, Duration{0}, 0); return true;
        case OpKind::now: ++self.op_number; return true;
        case OpKind::finish: return finish(rank, self);
    }
    check(false, "rank {} did an op of kind {}", rank, static_cast<int>(op.kind));
    return false;
}

Duration Kernel::price(LastPrice& last, int rank, const Op& op) const {
    const bool is_compute = op.kind == OpKind::compute;
    if (is_compute && static_cast<std::size_t>(rank) < cluster_.compute.slowdown.size()) {
        return compute_time(cluster_, rank, Work{op.amount, op.measure});
    }
    // Programs repeat a few sizes: the last price is nearly always the next.
    if (last.amount != op.amount || last.measure != op.measure) {
        const Duration price = is_compute ? compute_time(cluster_, rank, Work{op.amount, op.measure})
                                          : transfer_time(cluster_, {op.amount, op.measure});
        last = {op.amount, op.measure, price};
    }
    return last.price;
}

void Kernel::compute(int rank, Rank& self, const Op& op) {
    const Time begin = std::max(self.clock, self.computes_free);
    const Time end = later(begin, price(last_compute_, rank, op));
    const std::uint32_t number = self.op_number++;
    self.computes_free = end;
    if (on_span_) {
        emit(rank, op, number, begin, end, Duration{0}, 0);
    }
    if (op.asynchronous) {
        self.joinables.add({.op = op, .op_number = number, .done = true, .begin = begin, .end = end});
        return;
    }
    self.computing += end - self.clock;
    self.clock = end;
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

bool Kernel::wait(int rank, Rank& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    Joinable* joinable = self.joinables.find(op.amount);
    if (joinable == nullptr) {
        throw ProgramError(fmt::format("rank {}, op {}: waits at {} for its asynchronous op {}, which it has already joined",
                                       rank, number, describe_time(self.clock), op.amount));
    }
    if (!joinable->done) {
        block(self, op, number);
        return false;
    }
    join(rank, self, *joinable);
    return true;
}

// The rank's time moves to the end of what it joins, and the wait counts as what it waited for.
void Kernel::join(int rank, Rank& self, Joinable& joinable) {
    const Time begin = self.clock;
    self.clock = std::max(self.clock, joinable.end);
    joinable.joined = true;
    if (joinable.op.kind == OpKind::compute) {
        self.computing += self.clock - begin;
    } else {
        const Time transfer = joinable.op.kind == OpKind::receive ? joinable.message.begin : joinable.begin;
        self.communicating += self.clock - std::clamp(transfer, begin, self.clock);
    }
    if (joinable.op.kind == OpKind::receive) {
        const int source = joinable.op.peer;
        const Message& message = joinable.message;
        self.delivery = {source, message.payload, message.bytes};
        if (on_span_) {
            const Duration idle = std::max(message.begin - joinable.begin, Duration{0});
            emit(rank, received(joinable.op, message), joinable.op_number, joinable.begin, joinable.end, idle,
                 id_of(source, message));
        }
    }
    self.joinables.forget_joined();
}

bool Kernel::finish(int rank, Rank& self) {
    while (Joinable* open = self.joinables.oldest()) {
        if (!open->done) {
            block(self, {.kind = OpKind::finish}, self.op_number);
            return false;
        }
        join(rank, self, *open);
    }
    self.status = Status::finished;
    ++finished_;
    return false;
}

RankTotals Kernel::totals(int rank, Time run_end) const {
    const Rank& self = of(rank);
    return {.compute = self.computing,
            .communication = self.communicating,
            .idle = (run_end - Time{}) - self.computing - self.communicating,
            .end = self.clock,
            .bytes_sent = self.bytes_sent,
            .billionths_sent = self.billionths_sent,
            .messages_sent = self.messages,
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
