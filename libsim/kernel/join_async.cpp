// The kernel's asynchronous ops: joining them, and accounting for the time that a rank waits for them.
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

void Kernel::begin_receive(int rank, RankState& self, NumberedOp at, Matching::Channel from, const Message* message) {
    const Time now = self.program.clock;
    Joinable joinable{.op = at.op, .op_number = at.number, .begin = now};
    if (message != nullptr) {
        joinable.message = *message;
        joinable.end = end_of_asynchronous(rank, joinable, *message);
        joinable.message.transfer = TransferId::none;
        joinable.done = true;
    }
    const AsyncId id = self.joinables.add(joinable);
    if (message == nullptr) {
        matching_.keep(from, WaitingReceive{.since = now, .owner = id});
    }
}

// The asynchronous op that the program names. `what` is the program's verb in the error: "waits".
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
    join(rank, self, joinable);
    return true;
}

// A mark on the program's own stream is reached when it is issued, so its end is known at once.
void Kernel::mark_program(RankState& self, const Op& op) {
    const Time now = self.program.clock;
    self.joinables.add({.op = op, .op_number = self.op_number, .done = true, .begin = now, .end = now});
}

// An op that is still under way is forgotten once it has ended, because streams may wait for it.
void Kernel::forget(int rank, RankState& self, const Op& op) {
    Joinable& joinable = named(rank, awaited_by(op), self.op_number, "has no use");
    if (joinable.op.kind != OpKind::record && joinable.op.kind != OpKind::compute) {
        throw ProgramError(
            fmt::format("rank {}: an asynchronous {} must be joined: only marks and computations can be forgotten",
                        rank, describe(joinable.op)));
    }
    joinable.forgotten = true;
    if (joinable.done) {
        self.joinables.note_joined(joinable);
        self.joinables.drop_joined();
    }
}

// Moves the rank's clock to the end of an op; the wait counts as the kind of work waited for.
[[gnu::always_inline]] inline void Kernel::advance_to_end(RankState& self, const Joinable& joinable,
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
        // A rank waiting for its own sends counts as communicating while they transmit, and as idle while they wait for
        // the receiver. A rank waiting for a message is idle until the sender begins.
        const bool is_send = joinable.op.kind == OpKind::send;
        const Time transfer = joinable.op.kind == OpKind::receive ? joinable.message.begin : begin;
        const Time sent = is_send && may_hold_senders_ ? std::clamp(joinable.message.end, begin, end) : end;
        self.communicating += sent - std::clamp(transfer, begin, sent);
    }
}

void Kernel::join(int rank, RankState& self, Joinable& joinable) {
    join_keeping_slot(rank, self, joinable, false);
    self.joinables.drop_joined();
}

void Kernel::join_keeping_slot(int rank, RankState& self, Joinable& joinable, bool is_at_its_end) {
    self.delivery = {};
    if (times_ends_ && joinable.op.kind == OpKind::receive) {
        joinable.end = take(self.program.receive_port_free, self.program.clock, joinable.message);
    }
    advance_to_end(self, joinable, is_at_its_end);
    self.joinables.note_joined(joinable);
    if (may_hold_senders_ && joinable.op.kind == OpKind::send) {
        emit(rank, joinable.op, joinable.op_number, joinable.message.begin, joinable.end, Duration{0},
             id_of(rank, joinable.message));
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
}

// The rank waits as if for that op alone, and joins it next.
void Kernel::answer_first_to_end(int rank, const Ended& first) {
    RankState& self = of(rank);
    advance_to_end(self, *self.joinables.find(questions_->named(rank)[first.index]), false);
    give_answer(rank, self.program.clock, Duration{0}, {.source = rank, .bytes = first.index});
}

bool Kernel::finish(int rank, RankState& self) {
    if (!self.streams_are_done()) {
        self.block({.kind = OpKind::finish}, self.op_number);
        return false;
    }
    for (Joinable& open : self.joinables.all()) {
        if (!open.done) {
            self.block({.kind = OpKind::finish}, self.op_number);
            return false;
        }
        if (!open.joined) {
            join_keeping_slot(rank, self, open, true);
        }
    }
    self.joinables.drop_joined();
    for (std::size_t index = 0; index < self.queues.size(); ++index) {
        self.wait_for_stream(static_cast<Stream>(index + 1), self.queues[index].state.clock, true);
    }
    self.status = Status::finished;
    ++finished_;
    return false;
}

}  // namespace sim::kernel
