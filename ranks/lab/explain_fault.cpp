#include "ranks/lab/explain_fault.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace sim::lab {

namespace {

constexpr std::size_t most_shown = 8;

// Line `number` of the text, trimmed.
std::string line_of(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < number && std::getline(lines, line); ++i) {
    }
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

std::string place(const Line& line, const std::string& text) {
    return line.file.empty() ? "" : fmt::format("{}:{}: {}", line.file, line.number, line_of(text, line.number));
}

// "rank 2", "ranks 0 and 1", "ranks 0, 1 and 3", "ranks 0, 1, 2 and 61 more".
std::string named(const std::vector<int>& ranks) {
    if (ranks.size() == 1) {
        return fmt::format("rank {}", ranks.front());
    }
    const std::size_t shown = ranks.size() > most_shown ? most_shown - 1 : ranks.size() - 1;
    const std::vector<int> first(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown));
    return fmt::format(
        "ranks {} and {}", fmt::join(first, ", "),
        ranks.size() > most_shown ? fmt::format("{} more", ranks.size() - shown) : std::to_string(ranks.back()));
}

class Explanation {
public:
    Explanation(const Record& found, const std::string& text) : found_(found), fault_(*found.fault), text_(text) {}

    std::string reported() const {
        std::string reported =
            fmt::format("Deadlock: {} of {} ranks {} for something that never comes.\n", fault_.ops.size(),
                        found_.timeline.ranks, fault_.ops.size() == 1 ? "waits" : "wait");
        std::vector<bool> is_told(fault_.ops.size());
        std::size_t shown = 0;
        for (std::size_t i = 0; i < fault_.ops.size() && shown < most_shown; ++i) {
            if (!is_told[i]) {
                reported += of_one(i, is_told);
                ++shown;
            }
        }
        if (const auto left = std::count(is_told.begin(), is_told.end(), false); left > 0) {
            reported += fmt::format("  … and {} rank{} more\n", left, left == 1 ? "" : "s");
        }
        return reported + circle();
    }

private:
    // Covers all ranks that wait in the same collective, at the same line.
    std::string of_one(std::size_t i, std::vector<bool>& is_told) const {
        const kernel::WrongOp& op = fault_.ops[i];
        std::vector<int> ranks;
        for (std::size_t other = i; other < fault_.ops.size(); ++other) {
            if (other == i || wait_alike(i, other)) {
                ranks.push_back(fault_.ops[other].rank);
                is_told[other] = true;
            }
        }
        const std::string where = place(line(i), text_);
        const std::string why = reason(op);
        return fmt::format("  {}{}\n    {}: {}{}\n", named(ranks),
                           where.empty() ? fmt::format(", op {}", op.op_number) : " at " + where, op.what, why,
                           why.ends_with('?') ? "" : ".");
    }

    bool wait_alike(std::size_t a, std::size_t b) const {
        const kernel::WrongOp& one = fault_.ops[a];
        const kernel::WrongOp& other = fault_.ops[b];
        return one.kind == OpKind::collective && other.kind == OpKind::collective && one.what == other.what &&
               one.missing == other.missing && line(a).number == line(b).number;
    }

    const Line& line(std::size_t i) const {
        static const Line unknown;
        return i < found_.lines.size() ? found_.lines[i] : unknown;
    }

    std::string reason(const kernel::WrongOp& op) const {
        if (op.kind == OpKind::collective) {
            return op.near_miss.empty()
                       ? fmt::format("{} never came to it: {}", named(op.missing), doing_all(op.missing))
                       : op.near_miss;
        }
        if (op.waits_for < 0) {
            return op.why;
        }
        const int other = op.waits_for;
        if (op.kind == OpKind::send) {
            return fmt::format("it waits until rank {} receives this, which cannot be: it {}", other, doing(other));
        }
        return op.near_miss.empty()
                   ? fmt::format("rank {} never sent this, and cannot any more: it {}", other, doing(other))
                   : fmt::format("no such message was sent, but {}", op.near_miss);
    }

    bool has_finished(int rank) const { return op_of(rank) == fault_.ops.size(); }
    std::size_t op_of(int rank) const {
        const auto found = std::find_if(fault_.ops.begin(), fault_.ops.end(),
                                        [rank](const kernel::WrongOp& op) { return op.rank == rank; });
        return static_cast<std::size_t>(found - fault_.ops.begin());
    }

    // The state of a rank that others wait for: "is itself waiting at lab.py:12".
    std::string doing(int rank) const {
        if (has_finished(rank)) {
            return "has already finished";
        }
        const std::size_t at = op_of(rank);
        return line(at).file.empty() ? fmt::format("is itself waiting, in its op {}", fault_.ops[at].op_number)
                                     : fmt::format("is itself waiting at {}:{}", line(at).file, line(at).number);
    }

    std::string doing_all(const std::vector<int>& ranks) const {
        if (ranks.size() == 1) {
            return "it " + doing(ranks.front());
        }
        if (std::all_of(ranks.begin(), ranks.end(), [this](int rank) { return has_finished(rank); })) {
            return "they have already finished";
        }
        std::vector<std::string> each;
        for (std::size_t i = 0; i < std::min(ranks.size(), most_shown); ++i) {
            each.push_back(fmt::format("rank {} {}", ranks[i], doing(ranks[i])));
        }
        return fmt::format("{}{}", fmt::join(each, ", "), ranks.size() > most_shown ? ", …" : "");
    }

    // "Rank 0 waits for rank 1, and rank 1 for rank 0."
    std::string circle() const {
        const std::vector<int> cycle = kernel::cycle_of(fault_.ops);
        if (cycle.empty()) {
            return "";
        }
        const std::size_t steps = cycle.size() - 1;
        std::string reported;
        for (std::size_t i = 0; i < std::min(steps, most_shown); ++i) {
            reported +=
                i == 0 ? fmt::format("rank {} waits for rank {}", cycle[i], cycle[i + 1])
                       : fmt::format(", {}rank {} for rank {}", i + 1 == steps ? "and " : "", cycle[i], cycle[i + 1]);
        }
        return fmt::format("It is a cycle: {}{}.\n", reported, steps > most_shown ? ", and so on" : "");
    }

    const Record& found_;
    const ranks::Fault& fault_;
    const std::string& text_;
};

}  // namespace

std::string explain_fault(const Record& found, const std::string& file, const std::string& text) {
    const ranks::Fault& fault = *found.fault;
    if (fault.mistake == ranks::Mistake::deadlock && !fault.ops.empty()) {
        return Explanation(found, text).reported();
    }
    if (const auto gap = found.reports.find(gap_report); gap != found.reports.end()) {
        const int line = static_cast<int>(gap->second.begin()->second.at(0));
        return fmt::format("Nothing is written here yet:\n  {}\n", place({file, line}, text));
    }
    std::string reported = fault.message + "\n";
    for (std::size_t i = 0; i < fault.ops.size(); ++i) {
        if (const std::string where = i < found.lines.size() ? place(found.lines[i], text) : ""; !where.empty()) {
            reported += fault.failure == ranks::Failure::rank_hung
                            ? fmt::format("  the last operation of rank {}, after which it hangs: {}\n",
                                          fault.ops[i].rank, where)
                            : fmt::format("  rank {} at {}\n", fault.ops[i].rank, where);
        }
    }
    return reported;
}

}  // namespace sim::lab
