#include "libsim/kernel/features/questions.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

bool waits_until_there(const Op& look) {
    return look.kind == OpKind::look && look.amount != 0;
}

// The latest arrival time that a look beginning at `now` accepts.
Time deadline(const Op& look, Time now) {
    // A wait beyond the end of simulated time ends there, instead of overflowing.
    const std::int64_t left = (Time::max() - now).count();
    return now + Duration{std::min(look.amount, left)};
}

bool asks_for(const Op& look, int source, int tag) {
    return look.kind == OpKind::look && look.tag == tag && (look.peer == any_source || look.peer == source);
}

}  // namespace

Questions::Questions(Ranks& ranks, Matching& matching, const Transfers& transfers)
    : ranks_(&ranks), matching_(&matching), transfers_(&transfers), open_(ranks.size()) {
    matching.index_by_target(ranks.size());
}

// Arrival time of a message; empty while it is not known.
std::optional<Time> Questions::arrival_time(const Message& message) const {
    if (message.transfer == TransferId::none) {
        return message.end;
    }
    const Transfer& transfer = (*transfers_)[message.transfer];
    return transfer.ended ? std::optional(transfer.message.end) : std::nullopt;
}

// The first message that a look finds among those that arrive by `by`: by arrival time, then by source.
std::optional<Questions::Found> Questions::first_found(int rank, const Op& look, Time by) {
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
                matching_->oldest_message(matching_->channel(look.peer, rank, look.tag, Stream::main))) {
            consider(look.peer, *message);
        }
        return first;
    }
    matching_->for_each_message_to(rank, [&](int source, int tag, const Message& message) {
        if (tag == look.tag) {
            consider(source, message);
        }
    });
    return first;
}

// The next known time after `after` at which a message reaches the rank or an asynchronous op of its own ends; max if
// none is known.
Time Questions::next_own_event(int rank, Time after) {
    Time next = Time::max();
    matching_->for_each_message_to(rank, [&](int /*source*/, int /*tag*/, const Message& message) {
        const std::optional<Time> at = arrival_time(message);
        next = at && *at > after ? std::min(next, *at) : next;
    });
    for (const Joinable& joinable : (*ranks_)[rank].joinables.all()) {
        next = joinable.done && !joinable.joined && joinable.end > after ? std::min(next, joinable.end) : next;
    }
    return next;
}

// The first to end of the ops that the rank has named and whose ends are known; of several at one time, the one named
// first.
std::optional<Questions::Ended> Questions::first_to_end(int rank) {
    RankState& self = (*ranks_)[rank];
    const std::vector<AsyncId>& named = open_.named(rank);
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

void Questions::note_reading(int rank) {
    const RankState& self = (*ranks_)[rank];
    open_.note_asking(rank, self.program.clock, self.op_number);
}

// Answers if the answer is certain, whatever other ranks still do; false: it is not.
bool Questions::answer_at_once(int rank, const Op& op, std::uint32_t number) {
    RankState& self = (*ranks_)[rank];
    const Time now = self.program.clock;
    if (waits_for_first(op)) {
        bool all_ends_are_known = true;
        for (const AsyncId id : open_.named(rank)) {
            all_ends_are_known = self.named(rank, id, number, "asks").done && all_ends_are_known;
        }
        if (all_ends_are_known) {
            answer_first_to_end(rank, *first_to_end(rank));
        }
        return all_ends_are_known;
    }
    if (op.kind == OpKind::test) {
        const Joinable& joinable = self.named(rank, awaited_by(op), number, "asks");
        if (joinable.done && joinable.end <= now) {
            answer(rank, now, Duration{0}, {.source = rank});
            return true;
        }
        return false;
    }
    // A source that has not been heard yet may have sent an earlier message.
    if (op.peer == any_source) {
        return false;
    }
    // From a named source this is certain: a channel is first in, first out, so nothing comes before its oldest
    // message.
    const std::optional<Found> found = first_found(rank, op, deadline(op, now));
    if (found) {
        answer(rank, std::max(now, found->at), std::max(found->begin - now, Duration{0}), found->arrival);
    }
    return found.has_value();
}

bool Questions::ask(int rank, const Op& op, Time earliest) {
    if (asks_for_end(op)) {
        return ask_whether_ended(rank, op, earliest);
    }
    if (op.kind == OpKind::test && op.tag != static_cast<std::int32_t>(TestOf::one)) {
        open_.name(rank, awaited_by(op));
    }
    if (names_one_of_several(op)) {
        return true;
    }
    RankState& self = (*ranks_)[rank];
    const std::uint32_t number = self.op_number++;
    open_.note_asking(rank, self.program.clock, number);
    if (answer_at_once(rank, op, number)) {
        return true;
    }
    const bool later = !waits_until_there(op) && !waits_for_first(op) && open_.was_no(rank, op);
    const Time at = time_of_answer(rank, op, later);
    self.block(op, number);
    // A question without a time is never answered, so endless polling ends as a deadlock.
    open_.ask(rank, open_.polls_forever() ? Time::max() : at, later);
    return false;
}

// The time at which a question can be answered, as far as it is known; max if it is not.
Time Questions::time_of_answer(int rank, const Op& op, bool later) {
    const Time now = (*ranks_)[rank].program.clock;
    if (waits_for_first(op)) {
        const std::optional<Ended> first = first_to_end(rank);
        return first ? first->at : Time::max();
    }
    if (waits_until_there(op)) {
        const Time last = deadline(op, now);
        const std::optional<Found> found = first_found(rank, op, last);
        return found ? std::max(now, found->at) : last;
    }
    return later ? next_own_event(rank, now) : now;
}

// Moves the rank's clock to the time of the answer.
void Questions::answer(int rank, Time at, Duration idle, const Arrival& found) {
    RankState& self = (*ranks_)[rank];
    self.spend(Stream::main, {.idle = idle, .end = at});
    open_.close(rank, found);
    self.delivery = {};
    self.delivery.bytes = found.source == any_source ? 0 : sizeof(Arrival);
}

void Questions::note_message(int source, const Op& send, Time at) {
    open_.note_progress();
    const bool is_of_program = send.stream == Stream::main || is_asynchronous(send);
    if (!is_of_program || !open_.is_open(send.peer)) {
        return;
    }
    const RankState& self = (*ranks_)[send.peer];
    const bool is_wanted = waits_until_there(self.pending) && asks_for(self.pending, source, send.tag);
    if (is_wanted || open_.is_later(send.peer)) {
        open_.may_answer(send.peer, std::max(self.program.clock, at));
    }
}

void Questions::note_end(int rank, Time at) {
    if (!open_.is_open(rank)) {
        return;
    }
    if (waits_for_first((*ranks_)[rank].pending)) {
        if (const std::optional<Ended> first = first_to_end(rank)) {
            open_.may_answer(rank, first->at);
        }
    } else if (open_.is_later(rank)) {
        open_.may_answer(rank, std::max((*ranks_)[rank].program.clock, at));
    }
}

// The rank waits as if for that op alone, and joins it next.
void Questions::answer_first_to_end(int rank, const Ended& first) {
    RankState& self = (*ranks_)[rank];
    self.advance_to_end(*self.joinables.find(open_.named(rank)[first.index]), transfers_->rules(), false);
    answer(rank, self.program.clock, Duration{0}, {.source = rank, .bytes = first.index});
}

int Questions::answer_first(bool others_may) {
    const auto [at, rank] = *open_.first();
    RankState& self = (*ranks_)[rank];
    const Op& op = self.pending;
    if (waits_for_first(op)) {
        open_.note_progress();
        answer_first_to_end(rank, *first_to_end(rank));
        return rank;
    }
    if (asks_for_end(op)) {
        answer_not_by(rank, others_may);
        return rank;
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
        open_.note_no(rank, at, op);
        // Futile only if nothing is on its way to the rank: otherwise its next question waits for that, and time
        // passes.
        const bool is_alone = !open_.is_later(rank) && next_own_event(rank, now) == Time::max();
        is_alone ? open_.note_futile_poll() : open_.note_progress();
    }
    answer(rank, at, idle, found);
    return rank;
}

}  // namespace sim::kernel
