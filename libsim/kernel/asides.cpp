// Messages that streams start, each as if it had a stream of its own: it begins when its stream has come there, which
// goes on at once. They are matched with such alone, whichever streams start them at the two ends.
//
// Their data are there as soon as they are sent, wherever the streams are, as those of streams are (data_ahead.hpp).
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sim::kernel {

void Kernel::issue_aside(int rank, RankState& self, const Op& op) {
    const Stream on = std::exchange(self.starts, Stream::main);
    if (on == Stream::main) {
        throw ProgramError(
            fmt::format("rank {}, op {}: {} is started by no stream", rank, self.op_number, describe(op)));
    }
    IssuedOp issued{.op = op, .number = self.op_number++, .from = self.issue_time()};
    issued.mark = self.joinables.add({.op = op, .op_number = issued.number, .started_by = on, .begin = issued.from});
    if (op.kind == OpKind::send) {
        issued.payload = op.bytes > 0 ? self.payloads++ : 0;
    } else {
        self.joinables.find(issued.mark)->place = 1 + ahead_.expect(channel_of_aside(rank, op));
    }
    self.queue(on).waiting.push_back(issued);
    go_on(rank, self, on);
    if (op.kind == OpKind::send) {
        send_ahead(rank, op, issued.payload);
    }
}

Matching::Channel Kernel::channel_of_aside(int rank, const Op& receive) {
    return matching_.channel(receive.peer, rank, receive.tag, Stream::aside);
}

// It has a card of its own.
void Kernel::start_aside(int rank, RankState& self, Stream on, const IssuedOp& issued) {
    self.aside.clock = self.aside.sends_free = self.aside.receives_free = self.at(on).clock;
    self.starting = issued.mark;
    open_span(rank, on, issued.mark);
    carry_out_issued(rank, self, Stream::aside, issued);
    if (self.joinables.find(issued.mark)->done) {
        async_is_done(rank, self, issued.mark);
    }
}

// What the stream does next is told behind it.
void Kernel::open_span(int rank, Stream on, AsyncId message) {
    if (!on_span_) {
        return;
    }
    if (!span_order_) {
        span_order_.emplace(std::exchange(on_span_, [this](const Span& span) { span_order_->take(span); }));
    }
    span_order_->open(rank, on, message);
}

bool Kernel::is_queued(int rank, const Joinable& message) const {
    if (message.started_by == Stream::main) {
        return false;
    }
    const auto& waiting = of(rank).queues[static_cast<std::size_t>(message.started_by) - 1].waiting;
    return std::any_of(waiting.begin(), waiting.end(), [&](const IssuedOp& op) { return op.mark == message.id; });
}

// One that has ended gets its span.
void Kernel::tell_aside(int rank, const Joinable& joinable) {
    if (joinable.started_by != Stream::main && on_span_) {
        span_order_->close(joinable.id, span_of_message(rank, joinable, joinable.started_by));
    }
}

// False: its message has not been sent yet.
bool Kernel::fetch(int rank, RankState& self, const Op& op) {
    Joinable& receive = named(rank, awaited_by(op), self.op_number, "has no data");
    if (receive.place == 0) {
        throw ProgramError(
            fmt::format("rank {} has no data to fetch of asynchronous op {}: no receive that a stream has started and "
                        "whose data were not fetched yet",
                        rank, op.amount));
    }
    self.delivery = {};
    const DataAhead::Place place = std::exchange(receive.place, 0) - 1;
    const bool is_there = ahead_.receive(channel_of_aside(rank, receive.op), place, op.bytes, self.delivery);
    if (!is_there) {
        self.block(op, self.op_number);
    }
    return is_there;
}

// Nobody has fetched its data, and nobody will.
void Kernel::drop_data(int rank, const Joinable& receive) {
    if (receive.place > 0) {
        ahead_.drop(channel_of_aside(rank, receive.op), receive.place - 1);
    }
}

}  // namespace sim::kernel
