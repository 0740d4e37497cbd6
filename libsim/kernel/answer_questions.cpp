// The kernel's answers to questions about arrived messages and ended ops (questions.hpp).
#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

namespace {

bool waits_until_there(const Op& look) {
    return look.kind == OpKind::look && look.amount != 0;
}

// The latest arrival time that a look beginning at `now` accepts.
Time deadline(const Op& look, Time now) {
    const std::int64_t left = (Time::max() - now).count();
    return now + Duration{std::min(look.amount, left)};
}

bool asks_for(const Op& look, int source, int tag) {
    return look.kind == OpKind::look && look.tag == tag && (look.peer == any_source || look.peer == source);
}

}  // namespace

Questions& Kernel::questions() {
    if (!questions_) {
        questions_.emplace(ranks());
        matching_.index_by_target(ranks());
    }
    return *questions_;
}

// Arrival time of a message; empty while it is not known.
std::optional<Time> Kernel::arrival_time(const Message& message) {
    if (links_ && message.transfer != TransferId::none) {
        const Transfer& transfer = transfers_[message.transfer];
        return transfer.ended ? std::optional(transfer.message.end) : std::nullopt;
    }
    return message.end;
}

// The first message that a look finds among those that arrive by `by`: by arrival time, then by source.
std::optional<Kernel::Found> Kernel::first_found(int rank, const Op& look, Time by) {
    std::optional<Found> first;
    const auto consider = [&](int source, const Message& message) {
        const std::optional<Time> at = arrival_time(message);
        if (at && *at <= by && (!first || std::pair(*at, source) < std::pair(first->at, first->arrival.source))) {
            first = Found{*at,
                          message.begin,
                          {.source = source,
                           .tag = look.tag,
                           .bytes = message.bytes,
                           .size = Size{message.amount, message.measure}}};
        }
    };
    if (look.peer != any_source) {
        if (const Message* const message =
                matching_.oldest_message(matching_.channel(look.peer, rank, look.tag, Stream::main))) {
            consider(look.peer, *message);
        }
        return first;
    }
    questions();
    matching_.for_each_message_to(rank, [&](int source, int tag, const Message& message) {
        if (tag == look.tag) {
            consider(source, message);
        }
    });
    return first;
}

// The next known time after `after` at which a message reaches the rank or an asynchronous op of its own ends; max if
// none is known.
Time Kernel::next_own_event(int rank, Time after) {
    Time next = Time::max();
    matching_.for_each_message_to(rank, [&](int /*source*/, int /*tag*/, const Message& message) {
        const std::optional<Time> at = arrival_time(message);
        next = at && *at > after ? std::min(next, *at) : next;
    });
    for (const Joinable& joinable : of(rank).joinables.all()) {
        next = joinable.done && !joinable.joined && joinable.end > after ? std::min(next, joinable.end) : next;
    }
    return next;
}

// The first to end of the ops that the rank has named and whose ends are known; of several at one time, the one named
// first.
std::optional<Kernel::Ended> Kernel::first_to_end(int rank) {
    RankState& self = of(rank);
    const std::vector<AsyncId>& named = questions_->named(rank);
    std::optional<Ended> first;
    for (std::size_t i = 0; i < named.size(); ++i) {
        const Joinable& joinable = *self.joinables.find(named[i]);
        if (joinable.done && (!first || joinable.end < first->at)) {
            first = Ended{joinable.end, i};
        }
    }
    if (first) {
        first->at = std::max(first->at, self.program.clock);
    }
    return first;
}

void Kernel::read_clock(int rank, RankState& self) {
    if (questions_) {
        questions_->note_asking(rank, self.program.clock, self.op_number);
    }
    ++self.op_number;
}

// Answers if the answer is certain, whatever other ranks still do; false: it is not.
bool Kernel::answer_at_once(int rank, RankState& self, const Op& op, std::uint32_t number) {
    const Time now = self.program.clock;
    if (waits_for_first(op)) {
        bool all_ends_are_known = true;
        for (const AsyncId id : questions().named(rank)) {
            all_ends_are_known = named(rank, id, number, "asks").done && all_ends_are_known;
        }
        if (all_ends_are_known) {
            answer_first_to_end(rank, *first_to_end(rank));
        }
        return all_ends_are_known;
    }
    if (op.kind == OpKind::test) {
        const Joinable& joinable = named(rank, awaited_by(op), number, "asks");
        if (joinable.done && joinable.end <= now) {
            give_answer(rank, now, Duration{0}, {.source = rank});
            return true;
        }
        return false;
    }
    if (op.peer == any_source) {
        return false;
    }
    const std::optional<Found> found = first_found(rank, op, deadline(op, now));
    if (found) {
        give_answer(rank, std::max(now, found->at), std::max(found->begin - now, Duration{0}), found->arrival);
    }
    return found.has_value();
}

bool Kernel::ask(int rank, RankState& self, const Op& op) {
    if (asks_for_end(op)) {
        return ask_for_end(rank, self, op);
    }
    if (op.kind == OpKind::test && op.tag != static_cast<std::int32_t>(TestOf::one)) {
        questions().name(rank, awaited_by(op));
    }
    if (names_one_of_several(op)) {
        return true;
    }
    const std::uint32_t number = self.op_number++;
    questions().note_asking(rank, self.program.clock, number);
    if (answer_at_once(rank, self, op, number)) {
        return true;
    }
    const Time now = self.program.clock;
    const bool later = !waits_until_there(op) && !waits_for_first(op) && questions().was_no(rank, op);
    Time at = now;
    if (waits_for_first(op)) {
        const std::optional<Ended> first = first_to_end(rank);
        at = first ? first->at : Time::max();
    } else if (waits_until_there(op)) {
        const Time last = deadline(op, now);
        const std::optional<Found> found = first_found(rank, op, last);
        at = found ? std::max(now, found->at) : last;
    } else if (later) {
        at = next_own_event(rank, now);
    }
    self.block(op, number);
    questions().ask(rank, questions().polls_forever() ? Time::max() : at, later);
    return false;
}

// Moves the rank's clock to the time of the answer.
void Kernel::give_answer(int rank, Time at, Duration idle, const Arrival& found) {
    RankState& self = of(rank);
    self.spend(Stream::main, {.idle = idle, .end = at});
    questions().close(rank, found);
    self.delivery = {};
    self.delivery.bytes = found.source == any_source ? 0 : sizeof(Arrival);
}

// A message that no receive waited for may answer a question of its target.
void Kernel::note_for_question(int source, const Op& send, Time at) {
    questions_->note_progress();
    const bool is_of_program = send.stream == Stream::main || is_asynchronous(send);
    if (!is_of_program || !questions_->is_open(send.peer)) {
        return;
    }
    const RankState& self = of(send.peer);
    const bool is_wanted = waits_until_there(self.pending) && asks_for(self.pending, source, send.tag);
    if (is_wanted || questions_->is_later(send.peer)) {
        questions_->may_answer(send.peer, std::max(self.program.clock, at));
    }
}

void Kernel::note_end_for_question(int rank, Time at) {
    if (!questions_->is_open(rank)) {
        return;
    }
    if (waits_for_first(of(rank).pending)) {
        if (const std::optional<Ended> first = first_to_end(rank)) {
            questions_->may_answer(rank, first->at);
        }
    } else if (questions_->is_later(rank)) {
        questions_->may_answer(rank, std::max(of(rank).program.clock, at));
    }
}

// Requires: no rank can go on without an answer.
void Kernel::answer_first_question() {
    const auto [at, rank] = *questions_->first();
    RankState& self = of(rank);
    const Op& op = self.pending;
    if (waits_for_first(op)) {
        questions_->note_progress();
        answer_first_to_end(rank, *first_to_end(rank));
        return unblock(rank, self);
    }
    if (asks_for_end(op)) {
        answer_not_by(rank, self);
        return unblock(rank, self);
    }
    const Time now = self.program.clock;
    Arrival found;
    Duration idle = at - now;
    if (op.kind == OpKind::test) {
        const Joinable& joinable = *self.joinables.find(awaited_by(op));
        found.source = joinable.done && joinable.end <= at ? rank : any_source;
    } else if (const std::optional<Found> first = first_found(rank, op, at)) {
        found = first->arrival;
        idle = std::clamp(first->begin - now, Duration{0}, at - now);
    }
    if (found.source == any_source) {
        questions_->note_no(rank, at, op);
        const bool is_alone = !questions_->is_later(rank) && next_own_event(rank, now) == Time::max();
        is_alone ? questions_->note_futile_poll() : questions_->note_progress();
    }
    give_answer(rank, at, idle, found);
    unblock(rank, self);
}

}  // namespace sim::kernel
