#include "libsim/interop/goal/explain.hpp"

#include "libsim/interop/goal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace sim::goal {

namespace {

constexpr std::size_t most_lines = 8;

// Calls `write` twice: first to collect the operations it names, then with their places, so that the text is parsed
// only once.
template <class Write>
std::string with_names(std::string_view text, const Write& write) {
    std::set<OpIndex> mentioned;
    write([&](OpIndex op) {
        mentioned.insert(op);
        return std::string();
    });
    const std::vector<OpIndex> ops(mentioned.begin(), mentioned.end());
    const std::vector<Place> places = places_of(text, ops);
    std::map<OpIndex, std::string> names;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        names[ops[i]] = places[i].label.empty() ? fmt::format("line {}", places[i].line)
                                                : fmt::format("line {}, {}", places[i].line, places[i].label);
    }
    return write([&](OpIndex op) { return names.at(op); });
}

// The operation in the form of the text: "send 64b to 1 tag 7".
std::string statement(const GoalOp& op) {
    if (op.kind == GoalOpKind::calc) {
        return fmt::format("calc {}", op.size);
    }
    const auto number = [](std::uint32_t n) { return n == any ? std::string("-1") : fmt::format("{}", n); };
    return fmt::format("{} {}b {} {} tag {}", op.kind == GoalOpKind::send ? "send" : "recv", op.size,
                       op.kind == GoalOpKind::send ? "to" : "from", number(op.peer), number(op.tag));
}

// Operations that wait for one another in a cycle, if any.
std::vector<OpIndex> cycle(const GoalSchedule& schedule, const GoalOutcome& outcome, const Unmatched& unmatched) {
    // Remove what could proceed once the waiting receives and sends had ended.
    std::map<OpIndex, int> needs;
    const auto is_open = [&](OpIndex op, Dependent dependent) {
        return unmatched.blocked[op] || !dependent.on_start();
    };
    const auto for_each_open = [&](OpIndex op, const auto& visit) {
        for (const Dependent dependent : schedule.dependents_of(op)) {
            if (is_open(op, dependent)) {
                visit(dependent.op());
            }
        }
    };
    std::vector<OpIndex> can_end = outcome.waiting;
    for (const auto* ops : {&outcome.waiting, &outcome.blocked}) {
        for (const OpIndex op : *ops) {
            for_each_open(op, [&](OpIndex dependent) { ++needs[dependent]; });
        }
    }
    for (std::size_t i = 0; i < can_end.size(); ++i) {
        for_each_open(can_end[i], [&](OpIndex dependent) {
            if (--needs[dependent] == 0) {
                can_end.push_back(dependent);
            }
        });
    }
    // From any remaining operation, follow the waits back until one repeats.
    std::map<OpIndex, OpIndex> waits_for;
    for (const OpIndex op : outcome.blocked) {
        if (needs[op] > 0) {
            for_each_open(op, [&](OpIndex dependent) { waits_for.emplace(dependent, op); });
        }
    }
    std::vector<OpIndex> path;
    for (OpIndex op = waits_for.empty() ? 0 : waits_for.begin()->second; waits_for.contains(op);
         op = waits_for.at(op)) {
        const auto again = std::find(path.begin(), path.end(), op);
        if (again != path.end()) {
            path.erase(path.begin(), again);
            std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
            return path;
        }
        path.push_back(op);
    }
    return {};
}

std::size_t ranks_of(const GoalSchedule& schedule, const GoalOutcome& outcome) {
    std::set<std::uint32_t> ranks;
    for (const auto* ops : {&outcome.waiting, &outcome.blocked}) {
        for (const OpIndex op : *ops) {
            ranks.insert(schedule.ops[op].rank);
        }
    }
    return ranks.size();
}

std::string cycle_line(const GoalSchedule& schedule, const std::vector<OpIndex>& cycle, const NameOf& name_of) {
    std::string names = name_of(cycle.front());
    for (std::size_t i = 1; i < cycle.size() && i < most_lines; ++i) {
        names += fmt::format(" waits for {}", name_of(cycle[i]));
    }
    return fmt::format("\n  rank {}: {} waits for {}{}: a cycle", schedule.ops[cycle.front()].rank, names,
                       cycle.size() > most_lines ? "… waits for " : "", name_of(cycle.front()));
}

}  // namespace

std::string explain(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text) {
    const Unmatched single = unmatched(schedule, outcome);
    const std::vector<OpIndex> waits_for_itself = cycle(schedule, outcome, single);
    return with_names(text, [&](const NameOf& name_of) {
        std::string lines = fmt::format("deadlock: {} of {} operations never end, of {} of {} ranks",
                                        outcome.waiting.size() + outcome.blocked.size(), schedule.ops.size(),
                                        ranks_of(schedule, outcome), schedule.ranks.size());
        if (!waits_for_itself.empty()) {
            lines += cycle_line(schedule, waits_for_itself, name_of);
        }
        const std::size_t shown = std::min(outcome.waiting.size(), most_lines);
        for (std::size_t i = 0; i < shown; ++i) {
            const OpIndex op = outcome.waiting[i];
            lines += fmt::format("\n  rank {}, {}: {}   {}", schedule.ops[op].rank, name_of(op),
                                 statement(schedule.ops[op]), near_miss(schedule, single, op, name_of));
        }
        if (shown < outcome.waiting.size()) {
            lines += fmt::format("\n  … and {} more receives and sends", outcome.waiting.size() - shown);
        }
        return lines;
    });
}

std::string explain_unreceived(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text) {
    if (outcome.unreceived.empty()) {
        return "";
    }
    const OpIndex first = outcome.unreceived.front();
    return with_names(text, [&](const NameOf& name_of) {
        const std::string what =
            fmt::format("rank {}, {}: {}", schedule.ops[first].rank, name_of(first), statement(schedule.ops[first]));
        const std::size_t count = outcome.unreceived.size();
        return count == 1 ? fmt::format("1 message is never received: {}", what)
                          : fmt::format("{} messages are never received, the first of {}", count, what);
    });
}

}  // namespace sim::goal
