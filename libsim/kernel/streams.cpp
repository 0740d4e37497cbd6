// The kernel's communication streams: what a rank has issued on them, how they go on, and who waits for them.
//
// A stream goes on as soon as what it waits for is there, whatever its program does meanwhile. Who wakes a stream only
// puts it into `awake_`: it goes on when the op under way is done, so that a chain of wakings needs no stack.
// A program that receives data on a stream has it as soon as the other program has sent it, whenever the stream comes
// to it in simulated time: so it issues what comes after at once, and its streams find it there when they are due.
#include "libsim/check.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim {

namespace {

// Only data tells the program anything.
bool program_waits_for(const Op& op) {
    return op.kind == OpKind::receive && op.bytes > 0;
}

void forget_until(std::vector<Lane::Interval>& parts, Time time) {
    const auto ended = [&](const Lane::Interval& part) { return part.end <= time; };
    parts.erase(parts.begin(), std::find_if_not(parts.begin(), parts.end(), ended));
}

}  // namespace

void note(std::vector<Lane::Interval>& parts, Time begin, Time end) {
    if (begin == end) {
        return;
    }
    if (!parts.empty() && parts.back().end == begin) {
        parts.back().end = end;
    } else {
        parts.push_back({begin, end});
    }
}

Duration covered(const std::vector<Lane::Interval>& parts, const Lane::Interval& interval) {
    Duration sum{0};
    for (const Lane::Interval& part : parts) {
        sum += std::max(std::min(part.end, interval.end) - std::max(part.begin, interval.begin), Duration{0});
    }
    return sum;
}

Lane& Kernel::lane(Rank& self, Stream stream) {
    const auto index = static_cast<std::size_t>(stream) - 1;
    if (index >= self.lanes.size()) {
        self.lanes.resize(index + 1);
    }
    return self.lanes[index];
}

// What comes to an empty stream, waits for nobody, and is known to the last: it need not be kept. False: it must.
bool Kernel::carry_out_at_once(int rank, Rank& self, const Op& op) {
    Lane& at = lane(self, op.stream);
    if (at.blocked || !at.waiting.empty()) {
        return false;
    }
    const Time begin = std::max(at.clock, self.clock);
    if (op.kind == OpKind::record) {
        at.clock = begin;
        self.joinables.add({.op = op, .op_number = self.op_number, .done = true, .begin = self.clock, .end = begin});
        return true;
    }
    const WholePrice* const whole = op.kind == OpKind::collective ? known_price_of_whole(op) : nullptr;
    if (whole == nullptr || !whole->alone) {
        return false;
    }
    at.clock = later(begin, whole->price);
    add_checked(op.measure == Measure::units ? self.billionths_sent : self.bytes_sent, whole->sent);
    note(at.busy, begin, at.clock);
    emit(rank, op, self.op_number++, begin, at.clock, Duration{0}, 0);
    return true;
}

bool Kernel::issue(int rank, Rank& self, const Op& op) {
    if (carry_out_at_once(rank, self, op)) {
        return true;
    }
    Lane::Issued issued{.op = op, .op_number = self.op_number, .from = self.clock};
    if (op.kind == OpKind::record) {
        issued.handle = self.joinables.add({.op = op, .op_number = self.op_number, .begin = self.clock});
    } else if (op.kind != OpKind::enter) {
        self.op_number += 1;
    }
    if (op.kind == OpKind::send && op.bytes > 0) {
        issued.payload = self.payloads++;
    }
    if (op.kind == OpKind::wait) {
        const Joinable* const awaited = self.joinables.find(op.amount);
        // If there is none, the program has joined it, and so is past its end already.
        issued.awaits_handle = awaited != nullptr && !awaited->done;
        lane(self, op.stream).awaited += issued.awaits_handle ? 1 : 0;
        issued.from = awaited != nullptr && awaited->done ? std::max(self.clock, awaited->end) : self.clock;
    }
    lane(self, op.stream).waiting.push_back(issued);
    go_on(rank, self, op.stream);
    if (op.kind == OpKind::send && op.bytes > 0) {
        send_ahead(rank, op, issued.payload);
    }
    return !program_waits_for(op) || receive_ahead(rank, self, op, issued.op_number);
}

Kernel::Ahead& Kernel::ahead(int source, int target, const Op& op) {
    const Matching::Channel channel = matching_.channel(source, target, op.tag, op.stream);
    if (channel >= ahead_.size()) {
        ahead_.resize(channel + std::size_t{1});
    }
    return ahead_[channel];
}

void Kernel::send_ahead(int rank, const Op& op, std::uint32_t payload) {
    Ahead& channel = ahead(rank, op.peer, op);
    channel.sent.push_back({rank, payload, op.bytes});
    if (channel.program_waits) {
        Rank& target = of(op.peer);
        channel.program_waits = false;
        if (take_ahead(channel, target, target.pending)) {
            unblock(op.peer, target);
        }
    }
}

// False: the program waits for its data.
bool Kernel::receive_ahead(int rank, Rank& self, const Op& op, std::uint32_t op_number) {
    Ahead& channel = ahead(op.peer, rank, op);
    if (!channel.sent.empty() && take_ahead(channel, self, op)) {
        return true;
    }
    channel.program_waits = channel.sent.empty();
    block(self, op, op_number);
    return false;
}

// False: the data does not fit. The run ends with the mismatch when the stream comes to it.
bool Kernel::take_ahead(Ahead& channel, Rank& target, const Op& receive) {
    if (receive.bytes != any_bytes && receive.bytes != channel.sent.front().bytes) {
        return false;
    }
    target.delivery = channel.sent.front();
    channel.sent.pop_front();
    return true;
}

void Kernel::go_on(int rank, Rank& self, Stream stream) {
    // Looked up anew each time: a collective of several channels makes lanes for them.
    while (!lane(self, stream).blocked && !lane(self, stream).waiting.empty()) {
        Lane& at = lane(self, stream);
        const Lane::Issued issued = at.waiting.front();
        at.clock = std::max(at.clock, issued.from);
        at.blocked = true;  // unless it ends, at once or while it is carried out
        if (carry_out_on(rank, self, at, issued)) {
            end_issued(rank, self, lane(self, stream));
        }
    }
}

// The front has ended; whoever waits for the stream may go on.
void Kernel::end_issued(int rank, Rank& self, Lane& at) {
    at.waiting.pop_front();
    at.blocked = false;
    at.busy_since.reset();
    if (self.status != Status::blocked) {
        return;
    }
    if (self.pending.kind == OpKind::finish && at.waiting.empty()) {
        finish(rank, self);
    } else if (self.pending.kind == OpKind::compute && !shared_links_ && streams_are_done(self)) {
        --postponed_;
        compute_beside_streams(rank, self, self.pending, self.pending_number, self.clock);
        unblock(rank, self);
    }
}

// False: the stream waits in it.
bool Kernel::carry_out_on(int rank, Rank& self, Lane& at, const Lane::Issued& issued) {
    switch (issued.op.kind) {
        case OpKind::send: return send_on(rank, self, at, issued);
        case OpKind::receive: return receive_on(rank, at, issued);
        case OpKind::wait: return !issued.awaits_handle;
        case OpKind::enter: board_.arrive(rank, issued.op_number, at.clock, issued.op); return true;
        case OpKind::collective: {
            const Board::Meeting* const meeting = board_.arrive(rank, issued.op_number, at.clock, issued.op);
            if (shared_links_) {
                begin_walks(rank, self, issued.op, issued.op_number, at.clock);
                return false;
            }
            if (meeting != nullptr) {
                end_collective(*meeting, rank);
            }
            return meeting != nullptr;
        }
        case OpKind::record: {
            Joinable& mark = *self.joinables.find(issued.handle);
            mark.end = at.clock;
            mark.done = true;
            joinable_is_done(rank, self, issued.handle);
            return true;
        }
        default: check(false, "rank {} has {} on a stream", rank, name_of(issued.op.kind)); return true;
    }
}

bool Kernel::send_on(int rank, Rank& self, Lane& at, const Lane::Issued& issued) {
    const Op& op = issued.op;
    if (loggp_ != nullptr) {
        return send_on_by_loggp(rank, self, at, issued);
    }
    if (shared_links_) {
        at.busy_since = at.clock;
        start_flow(rank, self, op, {issued.op_number, at.clock, issued.payload, handle_of(op.stream)});
        return false;
    }
    const Matching::Channel to = matching_.channel(rank, op.peer, op.tag, op.stream);
    const Time end = later(at.clock, price(last_transfer(rank, op), rank, op, issued.op_number, at.clock));
    const Message message{.begin = at.clock,
                          .end = end,
                          .amount = op.amount,
                          .bytes = op.bytes,
                          .payload = issued.payload,
                          .number = issued.op_number + 1,
                          .measure = op.measure};
    count_message(self, op);
    note(at.busy, at.clock, end);
    emit(rank, op, issued.op_number, at.clock, end, Duration{0}, id_of(rank, message));
    at.clock = end;
    if (const WaitingReceive* const waiting = matching_.oldest_receive(to)) {
        const WaitingReceive receive = *waiting;
        matching_.drop_oldest(to);
        deliver(op.peer, receive, message);
    } else {
        matching_.new_message(to) = message;
    }
    return true;
}

bool Kernel::receive_on(int rank, Lane& at, const Lane::Issued& issued) {
    const Matching::Channel from = matching_.channel(issued.op.peer, rank, issued.op.tag, issued.op.stream);
    const Message* const there = matching_.oldest_message(from);
    if (there == nullptr) {
        matching_.keep(from, WaitingReceive{.since = at.clock, .handle = handle_of(issued.op.stream)});
        return false;
    }
    Message message = *there;
    matching_.drop_oldest(from);
    if (shared_links_ && !has_come(message)) {
        check_fit(rank, issued.op, issued.op_number, at.clock, message);
        transfers_[message.transfer].receiver = {.since = at.clock, .handle = handle_of(issued.op.stream)};
        at.busy_since = std::max(at.clock, message.begin);
        return false;
    }
    end_receive_on(rank, at, issued, message);
    return true;
}

void Kernel::end_receive_on(int rank, Lane& at, const Lane::Issued& issued, const Message& message) {
    check_fit(rank, issued.op, issued.op_number, at.clock, message);
    const Time begin = at.clock;
    const Time transfer = std::max(begin, message.begin);
    at.clock = loggp_ != nullptr ? end_by_loggp(at.receives_free, begin, message)
                                 : later(std::max(begin, message.end), acknowledgement(issued.op.peer, rank));
    note(at.idle, begin, transfer);
    note(at.busy, transfer, at.clock);
    emit(rank, received(issued.op, message), issued.op_number, begin, at.clock, transfer - begin,
         id_of(issued.op.peer, message));
}

// A message meets a receive that a stream waits in.
void Kernel::deliver_on(int target, const WaitingReceive& receive, const Message& message) {
    Rank& self = of(target);
    const Stream stream = stream_of(receive.handle);
    Lane& at = lane(self, stream);
    end_receive_on(target, at, at.waiting.front(), message);
    end_issued(target, self, at);
    awake_.push_back({target, stream});
}

// One member's part of a collective that all have come to.
void Kernel::end_collective_on(int rank, Stream stream, const MemberClock& clock, bool is_last) {
    Rank& self = of(rank);
    Lane& at = lane(self, stream);
    const Lane::Issued& issued = at.waiting.front();
    const Time begin = at.clock;
    const Duration idle = clock.time - begin - std::min(clock.busy, clock.time - begin);
    emit(rank, issued.op, issued.op_number, begin, clock.time, idle, 0);
    note(at.idle, begin, begin + idle);
    if (!shared_links_) {
        note(at.busy, begin + idle, clock.time);
    }
    at.clock = clock.time;
    if (!is_last) {  // else go_on() goes on with it
        end_issued(rank, self, at);
        awake_.push_back({rank, stream});
    }
}

// An asynchronous op has got its end: the streams that wait for it, and perhaps the program, go on.
void Kernel::joinable_is_done(int rank, Rank& self, std::int64_t handle) {
    const Time end = self.joinables.find(handle)->end;
    for (std::size_t index = 0; index < self.lanes.size(); ++index) {
        Lane& at = self.lanes[index];
        // Most streams wait for none, and need not be looked through.
        for (std::size_t i = 0; at.awaited > 0 && i < at.waiting.size(); ++i) {
            Lane::Issued& issued = at.waiting[i];
            if (issued.awaits_handle && issued.op.amount == handle) {
                issued.awaits_handle = false;
                at.awaited -= 1;
                issued.from = std::max(issued.from, end);
            }
        }
        if (at.blocked && at.waiting.front().op.kind == OpKind::wait && !at.waiting.front().awaits_handle) {
            at.blocked = false;
            awake_.push_back({rank, static_cast<Stream>(index + 1)});
        }
    }
    if (self.status != Status::blocked) {
        return;
    }
    if (self.pending.kind == OpKind::wait && self.pending.stream == Stream::main && self.pending.amount == handle) {
        join(rank, self, *self.joinables.find(handle));
        unblock(rank, self);
    } else if (self.pending.kind == OpKind::finish) {
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

const Lane::Issued* Kernel::stream_waits_in(int rank, Stream stream) const {
    if (stream == Stream::main) {
        return nullptr;
    }
    const auto index = static_cast<std::size_t>(stream) - 1;
    const std::vector<Lane>& lanes = of(rank).lanes;
    return index < lanes.size() && lanes[index].blocked ? &lanes[index].waiting.front() : nullptr;
}

Stream Kernel::waiting_stream(int rank) const {
    const std::vector<Lane>& lanes = of(rank).lanes;
    const auto waits = std::find_if(lanes.begin(), lanes.end(), [](const Lane& at) { return at.blocked; });
    return static_cast<Stream>(waits - lanes.begin() + 1);
}

bool Kernel::streams_are_done(const Rank& self) const {
    return std::all_of(self.lanes.begin(), self.lanes.end(), [](const Lane& at) { return at.waiting.empty(); });
}

// What the program waited for until `end` was `stream`: idle as long as that was, else busy with messages.
void Kernel::wait_for_stream(Rank& self, Stream stream, Time end) {
    if (end > self.clock) {
        const Duration idle = covered(lane(self, stream).idle, {self.clock, end});
        self.communicating += end - self.clock - idle;
        self.idle_in_collectives += idle;  // what streams are for
        self.clock = end;
    }
    forget_until_now(self);
}

// Whatever is asked of streams later is asked of the time to come.
void Kernel::forget_until_now(Rank& self) {
    for (Lane& at : self.lanes) {
        forget_until(at.idle, self.clock);
        forget_until(at.busy, self.clock);
    }
}

}  // namespace sim
