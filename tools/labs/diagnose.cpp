#include "tools/labs/diagnose.hpp"

#include "tools/labs/checks.hpp"

#include <algorithm>
#include <tuple>

namespace sim::labs {

namespace {

bool same_totals(const RankTotals& a, const RankTotals& b) {
    const auto all = [](const RankTotals& t) {
        return std::tuple(t.compute, t.communication, t.idle, t.end, t.bytes_sent, t.billionths_sent, t.messages_sent,
                          t.peak_bytes, t.peak_billionths);
    };
    return all(a) == all(b);
}

// Programs add up in the same order; scripts use float32, and a correct one may use its own order.
constexpr double exactly = 1e-12;
constexpr double in_float32 = 1e-4;

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [tolerance](double x, double y) { return same_number(x, y, tolerance); });
}

// Compares the mistake's reports; the learner may report more.
bool same_reports(const Record& theirs, const Record& mistaken, double tolerance) {
    for (const auto& [name, by_rank] : mistaken.reports) {
        const auto found = theirs.reports.find(name);
        if (found == theirs.reports.end() || !std::equal(found->second.begin(), found->second.end(), by_rank.begin(),
                                                         by_rank.end(), [tolerance](const auto& a, const auto& b) {
                                                             return a.first == b.first &&
                                                                    same_numbers(a.second, b.second, tolerance);
                                                         })) {
            return false;
        }
    }
    return true;
}

bool same_fault(const Record& theirs, const Record& mistaken) {
    if (theirs.ok() || mistaken.ok()) {
        return theirs.ok() == mistaken.ok();
    }
    const ranks::Fault& a = *theirs.fault;
    const ranks::Fault& b = *mistaken.fault;
    // The text that a rank throws depends on its language.
    return a.failure == b.failure && a.mistake == b.mistake &&
           std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), [](const auto& x, const auto& y) {
               return x.rank == y.rank && x.what == y.what && x.waits_for == y.waits_for;
           });
}

bool leave_the_same(const Record& theirs, const Record& mistaken) {
    const auto& a = theirs.timeline.totals;
    const auto& b = mistaken.timeline.totals;
    return same_fault(theirs, mistaken) && std::equal(a.begin(), a.end(), b.begin(), b.end(), same_totals) &&
           same_reports(theirs, mistaken, exactly);
}

// Whether a run of a script broke off in the same way; its messages depend on the script.
bool same_end(const Record& theirs, const Record& mistaken) {
    return theirs.ok() == mistaken.ok() && (theirs.ok() || (theirs.fault->failure == mistaken.fault->failure &&
                                                            theirs.fault->mistake == mistaken.fault->mistake &&
                                                            theirs.fault->rank == mistaken.fault->rank));
}

}  // namespace

Record reference_here(const Lab& lab, const Case& played) {
    if (!lab.is_script()) {
        return play_here(played, lab.solution);
    }
    Record record;
    record.timeline.ranks = played.ranks;
    record.timeline.totals.resize(static_cast<std::size_t>(played.ranks));
    return record;
}

Record play_here(const Case& played, const lab::Program& program, ranks::Host host) {
    return lab::play(lab::launch_options(played, host), [&](GPU& gpu) { program(gpu, played.given); });
}

std::optional<Diagnosis> diagnose(const Lab& lab, const std::vector<Case>& cases, const std::vector<Record>& records) {
    for (const Mistake& mistake : lab.mistakes) {
        bool is_it = true;
        for (std::size_t i = 0; is_it && i < cases.size(); ++i) {
            is_it = mistake.shows != nullptr ? mistake.shows(cases[i], records[i])
                                             : leave_the_same(records[i], play_here(cases[i], mistake.program));
        }
        if (is_it) {
            return Diagnosis{std::string(mistake.name), mistake.says(cases.front(), records.front())};
        }
    }
    return std::nullopt;
}

// A script's times depend on each of its operators, so only its reports decide: numbers, collectives, memory.
std::optional<Diagnosis> diagnose_script(const Lab& lab, const std::vector<Case>& cases,
                                         const std::vector<Record>& records,
                                         const std::vector<std::vector<Record>>& mistaken) {
    for (std::size_t each = 0; each < mistaken.size(); ++each) {
        bool is_it = mistaken[each].size() == cases.size();
        for (std::size_t i = 0; is_it && i < cases.size(); ++i) {
            is_it = same_end(records[i], mistaken[each][i]) && same_reports(records[i], mistaken[each][i], in_float32);
        }
        if (is_it) {
            const ScriptMistake& mistake = lab.script_mistakes[each];
            return Diagnosis{std::string(mistake.name), mistake.says(cases.front(), records.front())};
        }
    }
    return std::nullopt;
}

}  // namespace sim::labs
