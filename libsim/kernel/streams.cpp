// The streams of a rank beside its program: issuing ops onto them, executing those ops, and resuming their waiters.
//
// A stream resumes when the op it waits for completes, whatever its program does meanwhile. Waking a stream only puts
// it into `awake_`: it goes on after the current op, so a chain of wake-ups does not recurse.
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

// A receive without data has nothing to tell the program.
bool program_waits_for(const Op& op) {
    return op.kind == OpKind::receive && op.bytes > 0;
}

}  // namespace

// An op that reaches an empty stream, waits for nobody and has a known end need not be queued. False: it must be.
bool Kernel::execute_at_once(int rank, RankState& self, const Op& op) {
    StreamQueue& at = self.queue(op.stream);
    if (at.blocked || !at.waiting.empty() || (beside_ && op.kind == OpKind::collective)) {
        return false;
    }
    const Time now = self.issue_time();
    const Time begin = std::max(at.state.clock, now);
    if (op.kind == OpKind::record) {
        at.state.clock = begin;
        self.joinables.add({.op = op, .op_number = self.op_number, .done = true, .begin = now, .end = begin});
        return true;
    }
    if (op.kind == OpKind::compute) {
        compute_on_stream(rank, self, {op, self.op_number++}, begin);
        return true;
    }
    const WholePrice* const whole = op.kind == OpKind::collective && whole_prices_ ? whole_prices_->known(op) : nullptr;
    if (whole == nullptr || !whole->alone) {
        return false;
    }
    at.state.clock = later(begin, whole->price);
    add_checked(self.sent(op.measure), whole->sent);
    at.busy.note(begin, at.state.clock);
    emit(rank, op, self.op_number++, begin, at.state.clock, Duration{0}, 0);
    return true;
}

// Only the rank's own slowdown makes it longer; messages beside it do not.
void Kernel::compute_on_stream(int rank, RankState& self, NumberedOp at, Time begin) {
    const Time end = later(begin, prices_.computation(rank, at.op, at.number, begin));
    self.compute_on(at.op.stream, begin, end);
    emit(rank, at.op, at.number, begin, end, Duration{0}, 0);
}

// False: the op it waits for is still under way.
bool Kernel::wait_on_stream(RankState& self, const IssuedOp& issued) {
    if (issued.awaits) {
        return false;
    }
    StreamState& state = self.at(issued.op.stream);
    const Time end = std::max(state.clock, issued.until);
    self.wait_on(issued.op.stream, issued.joined, state.clock, end);
    state.clock = end;
    return true;
}

bool Kernel::issue(int rank, RankState& self, const Op& op) {
    const Time now = self.issue_time();
    if (op.kind == OpKind::compute) {
        prices_.computation(rank, op, self.op_number, now);  // throws here rather than when its stream reaches it
    }
    if (execute_at_once(rank, self, op)) {
        return true;
    }
    IssuedOp issued{.op = op, .number = self.op_number, .from = now};
    if (op.kind == OpKind::record) {
        issued.mark = self.joinables.add({.op = op, .op_number = self.op_number, .begin = now});
    } else if (op.kind != OpKind::enter) {
        self.op_number += 1;
    }
    if ((op.kind == OpKind::send || op.kind == OpKind::checkpoint) && op.bytes > 0) {
        issued.payload = self.payloads++;
    }
    if (op.kind == OpKind::collective) {
        issued.payload = brought_to(rank, op);
    }
    StreamQueue& queue = self.queue(op.stream);
    if (op.kind == OpKind::wait) {
        // If there is none, the program has already joined it and so is past its end.
        if (const Joinable* const awaited = self.joinables.find_named(awaited_by(op))) {
            issued.awaits = !awaited->done;
            queue.awaiting += issued.awaits ? 1 : 0;
            issued.joined = {awaited->op.stream, awaited->op.kind == OpKind::compute};
            issued.until = awaited->end;
        }
    }
    queue.waiting.push_back(issued);
    go_on(rank, self, op.stream);
    if (op.kind == OpKind::send && op.bytes > 0) {
        send_ahead(rank, op, issued.payload);
    }
    return !program_waits_for(op) || receive_ahead(rank, self, op, issued.number);
}

void Kernel::send_ahead(int rank, const Op& op, std::uint32_t payload) {
    const Matching::Channel channel = matching_.channel(rank, op.peer, op.tag, op.stream);
    RankState& target = of(op.peer);
    if (ahead_.send(channel, {rank, payload, op.bytes}) && ahead_.receive(channel, target.pending, target.delivery)) {
        unblock(op.peer, target);
    }
}

// False: the program waits for its data.
bool Kernel::receive_ahead(int rank, RankState& self, const Op& op, std::uint32_t number) {
    const bool is_there = ahead_.receive(matching_.channel(op.peer, rank, op.tag, op.stream), op, self.delivery);
    if (!is_there) {
        self.block(op, number);
    }
    return is_there;
}

void Kernel::go_on(int rank, RankState& self, Stream on) {
    // Looked up each time: a collective with several channels adds streams.
    while (!self.queue(on).blocked && !self.queue(on).waiting.empty()) {
        StreamQueue& at = self.queue(on);
        const IssuedOp issued = at.waiting.front();
        at.state.clock = std::max(at.state.clock, issued.from);
        at.blocked = true;  // until it ends, possibly at once
        try {
            if (execute_issued(rank, self, issued)) {
                end_issued(rank, self, on);
            }
        } catch (const ProgramError&) {
            mistakes_.note({self.at(on).clock, rank, issued.number}, std::current_exception());
            return;  // the stream stays blocked
        }
    }
}

// The front op has ended, and whatever waits for the stream may go on.
void Kernel::end_issued(int rank, RankState& self, Stream on) {
    StreamQueue& at = self.queue(on);
    at.waiting.pop_front();
    at.blocked = false;
    at.busy_since.reset();
    if (self.is_blocked_in(OpKind::finish) && at.waiting.empty()) {
        finish(rank, self);
    } else if (self.is_blocked_in(OpKind::compute) && !links_ && self.streams_are_done()) {
        end_postponed_compute(rank, self, self.program.clock);
    }
}

// The end of an asynchronous op is now known: streams that wait for it go on, and so may the program.
void Kernel::async_ended(int rank, RankState& self, AsyncId id) {
    const Time end = self.joinables.find(id)->end;
    if (questions_) [[unlikely]] {
        note_end_for_question(rank, end);
    }
    for (std::size_t index = 0; index < self.queues.size(); ++index) {
        StreamQueue& at = self.queues[index];
        // Most streams await no op and need not be searched.
        for (std::size_t i = 0; at.awaiting > 0 && i < at.waiting.size(); ++i) {
            IssuedOp& issued = at.waiting[i];
            if (issued.awaits && awaited_by(issued.op) == id) {
                issued.awaits = false;
                at.awaiting -= 1;
                issued.until = end;
            }
        }
        if (at.blocked && at.waiting.front().op.kind == OpKind::wait && !at.waiting.front().awaits) {
            at.blocked = false;
            awake_.push_back({rank, static_cast<Stream>(index + 1)});
        }
    }
    if (Joinable& ended = *self.joinables.find(id); ended.forgotten) {
        self.joinables.note_joined(ended);
        self.joinables.drop_joined();
    }
    const bool names_it =
        self.status == Status::blocked && self.pending.stream == Stream::main && awaited_by(self.pending) == id;
    if (names_it && self.pending.kind == OpKind::wait) {
        join(rank, self, *self.joinables.find(id));
        unblock(rank, self);
    } else if (names_it && asks_for_end(self.pending)) {
        answer_end(rank, self, *self.joinables.find(id));
    } else if (self.is_blocked_in(OpKind::finish)) {
        finish(rank, self);
    }
}

void Kernel::wake_streams() {
    while (!awake_.empty()) {
        const Awake next = awake_.back();
        awake_.pop_back();
        go_on(next.rank, of(next.rank), next.stream);
    }
}

const IssuedOp* Kernel::stream_waits_in(int rank, Stream stream) const {
    if (stream == Stream::main) {
        return nullptr;
    }
    const auto index = static_cast<std::size_t>(stream) - 1;
    const std::vector<StreamQueue>& queues = of(rank).queues;
    return index < queues.size() && queues[index].blocked ? &queues[index].waiting.front() : nullptr;
}

Stream Kernel::waiting_stream(int rank) const {
    const std::vector<StreamQueue>& queues = of(rank).queues;
    const auto waits = std::find_if(queues.begin(), queues.end(), [](const StreamQueue& at) { return at.blocked; });
    return static_cast<Stream>(waits - queues.begin() + 1);
}

}  // namespace sim::kernel
