// Questions whether an op has ended by a time of the program's own choice, as a host asks that runs ahead of its GPU or
// behind it. They neither join the op nor move the program's clock.
#include "libsim/kernel/features/questions.hpp"

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
    // An op under way cannot have ended before it began, nor a mark before its stream has come that far.
    const bool is_mark = joinable.op.kind == OpKind::record;
    const Time least = is_mark ? std::max(joinable.begin, self.at(joinable.op.stream).clock) : joinable.begin;
    return least > by ? std::optional(false) : std::nullopt;
}

}  // namespace

bool Questions::ask_whether_ended(int rank, const Op& op, Time earliest) {
    RankState& self = (*ranks_)[rank];
    note_reading(rank);
    const std::uint32_t number = self.op_number++;
    const Joinable& joinable = self.named(rank, awaited_by(op), number, "asks");
    const Time by = chosen_time(op);
    const bool for_ever = open_.is_stuck_at_one_time(rank) || open_.polls_forever();
    const std::optional<bool> has_ended = has_ended_by(self, joinable, by);
    // A rank that polls for ever is still told a yes, with which it goes on, but no further no.
    if (has_ended && (*has_ended || !for_ever)) {
        answer_by(rank, by, *has_ended);
        return true;
    }
    self.block(op, number);
    open_.ask(rank, for_ever ? Time::max() : std::max(by, earliest), false);
    return false;
}

void Questions::answer_by_end(int rank, const Joinable& joinable) {
    const Time by = chosen_time((*ranks_)[rank].pending);
    answer_by(rank, by, joinable.end <= by);
}

void Questions::answer_by(int rank, Time by, bool has_ended) {
    if (!has_ended) {
        open_.note_not_ended_by(rank, by);
    }
    answer(rank, (*ranks_)[rank].program.clock, Duration{0}, {.source = has_ended ? rank : any_source});
}

// No rank can go on before that time without an answer, so the op has not ended by then.
void Questions::answer_not_by(int rank, bool others_may) {
    const Time by = chosen_time((*ranks_)[rank].pending);
    if (next_own_event(rank, by) == Time::max()) {
        open_.note_futile_poll(others_may || open_.due() > 1 ? 1 : OpenQuestions::polls_of_a_host);
    } else {
        open_.note_progress();
    }
    answer_by(rank, by, false);
}

}  // namespace sim::kernel
