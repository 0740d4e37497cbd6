// The kernel's asynchronous ops: how they are joined, and what a rank that joins them has waited for.
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

void Kernel::begin_receive(int rank, RankState& self, Stream on, NumberedOp at, Matching::Channel from,
                           const Message* message) {
    const Time now = self.at(on).clock;
    Joinable joinable{.op = at.op, .op_number = at.number, .begin = now};
    if (message != nullptr) {
        joinable.message = *message;
        joinable.end = end_of_asynchronous(rank, joinable, *message);
        joinable.message.transfer = TransferId::none;
        joinable.done = true;
    }
    const AsyncId id = begun(self, on, joinable);
    if (message == nullptr) {
        matching_.keep(from, WaitingReceive{.since = now, .owner = id});
    }
}

// The op that the program names. `what` it does with it: "waits".
Joinable& Kernel::named(int rank, AsyncId id, std::uint32_t number, const char* what) {
    RankState& self = of(rank);
    Joinable* const joinable = self.joinables.find_named(id);
    if (joinable == nullptr) {
        throw ProgramError(
            fmt::format("rank {}, op {}: {} at {} for its asynchronous op {}, which it has already joined", rank,
                        number, what, describe_time(self.program.clock), static_cast<std::int64_t>(id)));
    }
    return *joinable;
}

bool Kernel::wait(int rank, RankState& self, const Op& op) {
    const std::uint32_t number = self.op_number++;
    Joinable& joinable = named(rank, awaited_by(op), number, "waits");
    if (!joinable.done) {
        self.block(op, number);
        return false;
    }
    end_wait(rank, self, op, joinable);
    return true;
}

void Kernel::end_wait(int rank, RankState& self, const Op& wait, Joinable& joinable) {
    if (wait.tag == keeps_open) {
        self.delivery = {};
        return pass_until_end(self, joinable, false);
    }
    join(rank, self, joinable);
}

// Where the program is when it comes to it, which is known at once.
void Kernel::mark_program(RankState& self, const Op& op) {
    const Time now = self.program.clock;
    self.joinables.add({.op = op, .op_number = self.op_number, .done = true, .begin = now, .end = now});
}

// One that is still under way is forgotten once it has ended: streams may wait for it.
void Kernel::forget(int rank, RankState& self, const Op& op) {
    Joinable& joinable = named(rank, awaited_by(op), self.op_number, "has no use");
    if (joinable.op.kind != OpKind::record && joinable.op.kind != OpKind::compute &&
        joinable.op.stream != Stream::aside) {
        throw ProgramError(fmt::format("rank {}: an asynchronous {} must be joined, as no stream has started it", rank,
                                       describe(joinable.op)));
    }
    joinable.forgotten = true;
    drop_data(rank, joinable);
    if (joinable.done) {
        self.joinables.note_joined(joinable);
        self.joinables.drop_joined();
    }
}

// The rank's time moves to the end of an op, and the wait counts as what it waited for.
[[gnu::always_inline]] inline void Kernel::pass_until_end(RankState& self, const Joinable& joinable,
                                                          bool is_at_its_end) const {
    if (joinable.op.kind == OpKind::record) {
        if (joinable.op.stream != Stream::main) {
            self.wait_for_stream(joinable.op.stream, joinable.end, is_at_its_end);
        }
        return;
    }
    const Time begin = self.program.clock;
    const Time end = std::max(begin, joinable.end);
    self.program.clock = end;
    const bool meets = times_ends_ && joinable.op.kind == OpKind::send;
    if (joinable.op.kind == OpKind::compute) {
        self.computing += end - begin;
    } else if (!meets) {
        // Who waits for its own sends is busy with them, but idle where these wait for their receiver; who waits for a
        // message is idle until its sender begins.
        const bool is_send = joinable.op.kind == OpKind::send;
        const Time transfer = joinable.op.kind == OpKind::receive ? joinable.message.begin : begin;
        const Time sent = is_send && may_hold_senders_ ? std::clamp(joinable.message.end, begin, end) : end;
        self.communicating += sent - std::clamp(transfer, begin, sent);
    }
}

void Kernel::join(int rank, RankState& self, Joinable& joinable) {
    join_without_forgetting(rank, self, joinable, false);
    self.joinables.drop_joined();
}

void Kernel::join_without_forgetting(int rank, RankState& self, Joinable& joinable, bool is_at_its_end) {
    self.delivery = {};
    if (times_ends_ && joinable.op.kind == OpKind::receive) {
        joinable.end = take(self.program.receives_free, self.program.clock, joinable.message);
    }
    pass_until_end(self, joinable, is_at_its_end);
    self.joinables.note_joined(joinable);
    if (joinable.op.kind == OpKind::receive) {
        self.delivery = {joinable.op.peer, joinable.message.payload, joinable.message.bytes};
        drop_data(rank, joinable);
    }
    const bool is_message =
        joinable.op.kind == OpKind::receive || (joinable.op.kind == OpKind::send && may_hold_senders_);
    if (on_span_ && is_message && joinable.started_by == Stream::main) {
        on_span_(span_of_message(rank, joinable, Stream::own));
    }
}

// Of an asynchronous send or receive that has ended.
Span Kernel::span_of_message(int rank, const Joinable& joinable, Stream on) {
    const Message& message = joinable.message;
    const bool receives = joinable.op.kind == OpKind::receive;
    Op op = receives ? received(joinable.op, message) : joinable.op;
    op.stream = on;
    if (receives) {
        return span_of(rank, op, joinable.op_number, joinable.begin, joinable.end,
                       std::max(message.begin - joinable.begin, Duration{0}), id_of(op.peer, message));
    }
    const bool got_through = message.number > 0;
    return span_of(rank, op, joinable.op_number, got_through ? message.begin : joinable.begin, joinable.end,
                   Duration{0}, got_through ? id_of(rank, message) : 0);
}

// The rank waits as if it had waited for that op alone, and joins it next.
void Kernel::answer_first_to_end(int rank, const Ended& first) {
    RankState& self = of(rank);
    pass_until_end(self, *self.joinables.find(questions_->named(rank)[first.index]), false);
    give_answer(rank, self.program.clock, Duration{0}, {.source = rank, .bytes = first.index});
}

void Kernel::wait_for_all_streams(RankState& self) {
    for (std::size_t index = 0; index < self.queues.size(); ++index) {
        self.wait_for_stream(static_cast<Stream>(index + 1), self.queues[index].state.clock, true);
    }
}

bool Kernel::finish(int rank, RankState& self) {
    if (!self.streams_are_done()) {
        self.block({.kind = OpKind::finish}, self.op_number);
        return false;
    }
    const bool any_computes = std::any_of(self.queues.begin(), self.queues.end(), [&](const StreamQueue& at) {
        return at.computing.after(self.program.clock) != at.computing.end();
    });
    if (any_computes) {
        wait_for_all_streams(self);  // first, so that what computing hides is hidden
    }
    for (Joinable& open : self.joinables.all()) {
        if (!open.done) {
            self.block({.kind = OpKind::finish}, self.op_number);
            return false;
        }
        if (!open.joined) {
            join_without_forgetting(rank, self, open, true);
        }
    }
    self.joinables.drop_joined();
    wait_for_all_streams(self);
    self.status = Status::finished;
    ++finished_;
    return false;
}

}  // namespace sim::kernel
