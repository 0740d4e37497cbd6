// The kernel tells programs here when their asynchronous ops end, without joining them and without moving their clock.
//
// A rank that asks for an end waits until it is known. A rank may also ask whether an op has ended by a time of its own
// choice, as a host does that runs ahead of its GPU or behind it. That question is answered at once if the answer is
// certain, and otherwise like all questions (questions.hpp): at that time, when no rank can go on without an answer.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

Time chosen_time(const Op& question) {
    return Time{Duration{static_cast<std::int64_t>(question.bytes)}};
}

// Empty if not certain yet: other ranks may still affect it.
std::optional<bool> has_ended_by(const RankState& self, const Joinable& joinable, Time by) {
    if (joinable.done) {
        return joinable.end <= by;
    }
    const bool is_mark = joinable.op.kind == OpKind::record;
    const Time least = is_mark ? std::max(joinable.begin, self.at(joinable.op.stream).clock) : joinable.begin;
    return least > by ? std::optional(false) : std::nullopt;
}

}  // namespace

// False: the rank waits.
bool Kernel::ask_for_end(int rank, RankState& self, const Op& op) {
    const std::uint32_t number = self.op_number;
    if (is_test(op, TestOf::one_by)) {
        questions();
    }
    read_clock(rank, self);
    const Joinable& joinable = named(rank, awaited_by(op), number, "asks");
    if (is_test(op, TestOf::one_by)) {
        return ask_whether_ended(rank, self, op, joinable, number);
    }
    if (!joinable.done) {
        self.block(op, number);
        return false;
    }
    self.delivery = {.bytes = sizeof joinable.end};
    return true;
}

bool Kernel::ask_whether_ended(int rank, RankState& self, const Op& op, const Joinable& joinable,
                               std::uint32_t number) {
    const Time by = chosen_time(op);
    const bool for_ever = questions_->is_stuck_at_one_time(rank) || questions_->polls_forever();
    const std::optional<bool> has_ended = has_ended_by(self, joinable, by);
    if (has_ended && (*has_ended || !for_ever)) {
        answer_by(rank, self, by, *has_ended);
        return true;
    }
    self.block(op, number);
    questions_->ask(rank, for_ever ? Time::max() : links_ ? std::max(by, latest_turn_) : by, false);
    return false;
}

// The end of the op that the rank asks for is now known.
void Kernel::answer_end(int rank, RankState& self, const Joinable& joinable) {
    if (is_test(self.pending, TestOf::one_by)) {
        const Time by = chosen_time(self.pending);
        answer_by(rank, self, by, joinable.end <= by);
    } else {
        self.delivery = {.bytes = sizeof joinable.end};
    }
    unblock(rank, self);
}

void Kernel::answer_by(int rank, RankState& self, Time by, bool has_ended) {
    if (!has_ended) {
        questions_->note_not_ended_by(rank, by);
    }
    give_answer(rank, self.program.clock, Duration{0}, {.source = has_ended ? rank : any_source});
}

// No rank can go on before that time without an answer, so the op has not ended by then.
void Kernel::answer_not_by(int rank, RankState& self) {
    const Time by = chosen_time(self.pending);
    const bool others_may = questions_->due() > 1 || postponed_ > 0 || (links_ && !links_->empty());
    if (next_own_event(rank, by) == Time::max()) {
        questions_->note_futile_poll(others_may ? 1 : Questions::polls_of_a_host);
    } else {
        questions_->note_progress();
    }
    answer_by(rank, self, by, false);
}

}  // namespace sim::kernel
