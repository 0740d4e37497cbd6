#include "libsim/interop/goal/explain.hpp"

#include <fmt/format.h>

namespace sim::goal {

namespace {

std::string number_or_any(std::uint32_t number) {
    return number == any ? "-1" : fmt::format("{}", number);
}

// The candidates for the partner of one operation, by the way in which they miss.
struct Candidates {
    OpIndex blocked = 0;  // the first of each kind
    OpIndex other_tag = 0;
    OpIndex other_rank = 0;
    int are_blocked = 0;
    int of_other_tag = 0;
    int of_other_rank = 0;
    int taken = 0;  // match, but met others

    static void count(int& number, OpIndex& first, OpIndex op) {
        if (number++ == 0) {
            first = op;
        }
    }
};

Candidates candidates_for(const GoalSchedule& schedule, const Unmatched& unmatched, OpIndex index) {
    const GoalOp& op = schedule.ops[index];
    Candidates found;
    for (OpIndex other = 0; other < schedule.ops.size(); ++other) {
        const GoalOp& it = schedule.ops[other];
        const bool opposite =
            op.kind == GoalOpKind::receive ? it.kind == GoalOpKind::send : it.kind == GoalOpKind::receive;
        // The receiver is `op` for a receive, and its peer for a send.
        const std::uint32_t receiver = op.kind == GoalOpKind::receive ? op.rank : op.peer;
        if (!opposite || receiver != (op.kind == GoalOpKind::receive ? it.peer : it.rank)) {
            continue;
        }
        const bool same_tag = it.tag == any || op.tag == any || it.tag == op.tag;
        const bool same_ranks = op.kind == GoalOpKind::receive ? op.peer == any || op.peer == it.rank
                                                               : it.peer == any || it.peer == op.rank;
        if (same_tag && same_ranks && unmatched.blocked[other]) {
            Candidates::count(found.are_blocked, found.blocked, other);
        } else if (same_tag && same_ranks && !unmatched.single[other]) {
            ++found.taken;
        } else if (same_ranks && !same_tag && unmatched.single[other]) {
            Candidates::count(found.of_other_tag, found.other_tag, other);
        } else if (same_tag && !same_ranks && unmatched.single[other]) {
            Candidates::count(found.of_other_rank, found.other_rank, other);
        }
    }
    return found;
}

// The first operation that `op` waits for that has not ended.
OpIndex first_needed(const GoalSchedule& schedule, const Unmatched& unmatched, OpIndex op) {
    const OpRange range = schedule.ranks[schedule.ops[op].rank];
    for (OpIndex first = range.begin; first < range.end; ++first) {
        for (const Dependent dependent : schedule.dependents_of(first)) {
            const bool open = unmatched.blocked[first] || (unmatched.single[first] && !dependent.on_start());
            if (open && dependent.op() == op) {
                return first;
            }
        }
    }
    return op;
}

}  // namespace

Unmatched unmatched(const GoalSchedule& schedule, const GoalOutcome& outcome) {
    Unmatched unmatched{std::vector<bool>(schedule.ops.size()), std::vector<bool>(schedule.ops.size())};
    for (const OpIndex op : outcome.blocked) {
        unmatched.blocked[op] = true;
    }
    for (const auto* ops : {&outcome.waiting, &outcome.unreceived}) {
        for (const OpIndex op : *ops) {
            unmatched.single[op] = true;
        }
    }
    return unmatched;
}

std::string near_miss(const GoalSchedule& schedule, const Unmatched& unmatched, OpIndex op, const NameOf& name_of) {
    const Candidates found = candidates_for(schedule, unmatched, op);
    const bool receives = schedule.ops[op].kind == GoalOpKind::receive;
    if (found.are_blocked > 0) {
        return fmt::format("rank {} would {} it at {}, which waits for {}", schedule.ops[found.blocked].rank,
                           receives ? "send" : "receive", name_of(found.blocked),
                           name_of(first_needed(schedule, unmatched, found.blocked)));
    }
    if (found.of_other_tag > 0) {
        const GoalOp& it = schedule.ops[found.other_tag];
        const std::string tag = number_or_any(it.tag);
        return fmt::format("rank {} {} tag {} at {}; did you mean {}?", it.rank, receives ? "sends" : "receives", tag,
                           name_of(found.other_tag), tag);
    }
    if (found.of_other_rank > 0) {
        const GoalOp& it = schedule.ops[found.other_rank];
        return receives ? fmt::format("rank {} sends it at {}; did you mean from {}?", it.rank,
                                      name_of(found.other_rank), it.rank)
                        : fmt::format("rank {} receives it from {} at {}; did you mean from {}?", it.rank, it.peer,
                                      name_of(found.other_rank), schedule.ops[op].rank);
    }
    if (found.taken > 0) {
        return receives ? fmt::format("of {} such messages, other receives have taken all", found.taken)
                        : fmt::format("of {} such receives, other messages have taken all", found.taken);
    }
    return receives ? "nothing like it is sent" : "nothing like it is received";
}

}  // namespace sim::goal
