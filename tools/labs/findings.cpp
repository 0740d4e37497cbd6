#include "tools/labs/findings.hpp"

#include "tools/labs/checks.hpp"
#include "tools/labs/factors.hpp"
#include "tools/labs/steps.hpp"
#include "tools/labs/summands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::labs {

namespace {

constexpr std::size_t most_findings = 3;
constexpr std::size_t least_told = 5;

using Numbers = std::vector<double>;

bool has_wrong(const CaseVerdict& of, Aspect aspect) {
    return std::any_of(of.checks.begin(), of.checks.end(),
                       [aspect](const Check& check) { return check.aspect == aspect && !check.ok; });
}

// The numbers of all ranks that are wrong, one rank after the other.
struct Wrong {
    Numbers found;
    Numbers right;
    bool is_everywhere = true;  // no rank is right
};

Wrong wrong_numbers(const CaseVerdict& of, const std::string& report) {
    Wrong wrong;
    const auto all = of.reference.reports.find(report);
    if (all == of.reference.reports.end()) {
        return wrong;
    }
    const auto theirs = of.found.reports.find(report);
    for (const auto& [rank, right] : all->second) {
        const auto own = theirs == of.found.reports.end() ? all->second.end() : theirs->second.find(rank);
        if (theirs == of.found.reports.end() || own == theirs->second.end() || own->second.size() != right.size()) {
            return {};
        }
        if (std::equal(right.begin(), right.end(), own->second.begin(),
                       [](double a, double b) { return same_number(a, b); })) {
            wrong.is_everywhere = false;
            continue;
        }
        wrong.found.insert(wrong.found.end(), own->second.begin(), own->second.end());
        wrong.right.insert(wrong.right.end(), right.begin(), right.end());
    }
    return wrong;
}

class Finder {
public:
    explicit Finder(const Verdict& verdict) : verdict_(verdict), shown_(verdict.shown()) {
        for (const CaseVerdict& each : verdict.cases) {
            cases_.push_back(each.played);
        }
    }

    std::vector<std::string> slips() {
        add(by_slips());
        return found_;
    }

    std::vector<std::string> all() {
        add(by_slips());
        add(verdict_.lab->explain != nullptr ? verdict_.lab->explain(shown_.played, shown_.found) : "");
        for (const Check& check : shown_.checks) {
            if (!check.ok && !check.report.empty()) {
                add(by_numbers(check.report));
            }
        }
        by_amounts();
        if (found_.empty() || has_wrong(shown_, Aspect::time) || has_wrong(shown_, Aspect::bytes) ||
            has_wrong(shown_, Aspect::order)) {
            by_steps();
        }
        for (const Check& check : shown_.checks) {
            if (!check.ok && !check.report.empty() && found_.empty()) {
                add(by_difference(check.report));
            }
        }
        if (found_.size() > most_findings) {
            found_.resize(most_findings);
        }
        return found_;
    }

private:
    void add(std::string text) {
        if (!text.empty() && std::find(found_.begin(), found_.end(), text) == found_.end()) {
            found_.push_back(std::move(text));
        }
    }

    // The reported number is what a known wrong formula gives, in every case.
    std::string by_slips() const {
        if (verdict_.lab->slips == nullptr) {
            return "";
        }
        std::vector<std::vector<Slip>> slips;
        for (const Case& each : cases_) {
            slips.push_back(verdict_.lab->slips(each));
        }
        for (std::size_t at = 0; at < slips.front().size(); ++at) {
            bool is_it = !slips.front()[at].report.empty();
            for (std::size_t i = 0; is_it && i < cases_.size(); ++i) {
                is_it = at < slips[i].size() && makes(verdict_.cases[i], slips[i][at]);
            }
            if (is_it) {
                return slips[static_cast<std::size_t>(&shown_ - verdict_.cases.data())][at].says;
            }
        }
        return "";
    }

    static bool makes(const CaseVerdict& of, const Slip& slip) {
        const Wrong wrong = wrong_numbers(of, slip.report);
        return !wrong.found.empty() && same_number(wrong.found.front(), slip.value, 1e-9);
    }

    std::string by_numbers(const std::string& report) const {
        const Wrong wrong = wrong_numbers(shown_, report);
        if (wrong.found.empty()) {
            return by_length(report);
        }
        std::vector<std::optional<double>> ratios;
        for (const CaseVerdict& each : verdict_.cases) {
            const Wrong own = wrong_numbers(each, report);
            ratios.push_back(own.found.empty() ? std::nullopt : ratio_of(own.found, own.right));
        }
        const std::optional<double> ratio = ratio_of(wrong.found, wrong.right);
        const std::string where = shown_.played.ranks > 1 && wrong.is_everywhere ? "On every rank " : "";
        if (ratio == 0) {
            return fmt::format("{}\"{}\" is 0.", where, report);
        }
        if (const auto told = ratio ? told_by_factors(*verdict_.lab, cases_, ratios) : std::nullopt) {
            return fmt::format("{}\"{}\" is {}.", where, report, *told);
        }
        // With single numbers it may be a coincidence, unless the other cases can be told as well.
        for (const CaseVerdict& each : verdict_.cases) {
            if (is_single(each.played, report) && each.found.ok() &&
                !may_hold_summands(*verdict_.lab, each.played, each.found, each.reference, report)) {
                return "";
            }
        }
        return told_by_summands(*verdict_.lab, shown_.played, shown_.found, shown_.reference, report);
    }

    // Whether the summands of each piece are single numbers, and so many that they can be told apart.
    bool is_single(const Case& played, const std::string& report) const {
        if (verdict_.lab->summands == nullptr) {
            return false;
        }
        const std::vector<Summands> all = verdict_.lab->summands(played, 0);
        return std::any_of(all.begin(), all.end(), [&](const Summands& of) {
            return of.report == report && of.of.size() >= least_told &&
                   of.of.front().size() == static_cast<std::size_t>(of.pieces);
        });
    }

    // No more than how far it is off, or where.
    std::string by_difference(const std::string& report) const {
        const Wrong wrong = wrong_numbers(shown_, report);
        const std::optional<double> ratio = ratio_of(wrong.found, wrong.right);
        return wrong.found.empty() ? ""
               : ratio             ? fmt::format("\"{}\" is {:.6g} times what is right.", report, *ratio)
                                   : by_place(report);
    }

    // A rank reports more or fewer numbers than it should, or none.
    std::string by_length(const std::string& report) const {
        const auto all = shown_.reference.reports.find(report);
        const auto theirs = shown_.found.reports.find(report);
        for (const auto& [rank, right] :
             all == shown_.reference.reports.end() ? std::map<int, Numbers>{} : all->second) {
            const bool is_there = theirs != shown_.found.reports.end() && theirs->second.contains(rank);
            const std::size_t count = is_there ? theirs->second.at(rank).size() : 0;
            if (count != right.size()) {
                return is_there ? fmt::format("Rank {} reports {} number{} as \"{}\", not {}.", rank, count,
                                              count == 1 ? "" : "s", report, right.size())
                                : fmt::format("Rank {} does not report \"{}\".", rank, report);
            }
        }
        return "";
    }

    // Which elements of a long list are wrong, if not all.
    std::string by_place(const std::string& report) const {
        for (const auto& [rank, right] : shown_.reference.reports.at(report)) {
            const Numbers& theirs = shown_.found.reports.at(report).at(rank);
            std::vector<int> places;
            for (std::size_t i = 0; i < right.size(); ++i) {
                if (!same_number(theirs[i], right[i])) {
                    places.push_back(static_cast<int>(i));
                }
            }
            if (!places.empty() && right.size() > 1) {
                const auto first = static_cast<std::size_t>(places.front());
                return fmt::format("{}{} of {} numbers of \"{}\" are wrong, number {} first: {:.6g}, not {:.6g}.",
                                   shown_.played.ranks == 1 ? "" : fmt::format("On rank {}, ", rank), places.size(),
                                   right.size(), report, first, theirs[first], right[first]);
            }
        }
        return "";
    }

    // Times, bytes and memory that are wrong by a number of the case.
    void by_amounts() {
        const auto totals_of = [](const Record& record, auto member) {
            Numbers numbers;
            for (const RankTotals& totals : record.timeline.totals) {
                numbers.push_back(static_cast<double>(member(totals)));
            }
            return numbers;
        };
        const auto add_amount = [&](Aspect aspect, const char* what, auto member) {
            if (!has_wrong(shown_, aspect)) {
                return;
            }
            std::vector<std::optional<double>> ratios;
            for (const CaseVerdict& each : verdict_.cases) {
                ratios.push_back(has_wrong(each, aspect)
                                     ? ratio_of(totals_of(each.found, member), totals_of(each.reference, member))
                                     : std::nullopt);
            }
            if (const auto told = told_by_factors(*verdict_.lab, cases_, ratios)) {
                add(fmt::format("{} {}.", what, *told));
            }
        };
        add_amount(Aspect::memory, "The peak memory is", [](const RankTotals& of) { return of.peak_bytes; });
        add_amount(Aspect::bytes, "The bytes sent are",
                   [](const RankTotals& of) { return of.bytes_sent + of.billionths_sent; });
        if (found_.empty()) {
            add_amount(Aspect::time, "The time to compute is", [](const RankTotals& of) { return of.compute.count(); });
        }
    }

    void by_steps() {
        const std::string counts = told_by_counts(shown_.found, shown_.reference);
        add(counts);
        if (counts.empty()) {
            add(told_by_order(shown_.found, shown_.reference));
        }
        if (has_wrong(shown_, Aspect::time)) {
            add(told_by_idle_time(shown_.found, shown_.reference));
        }
    }

    const Verdict& verdict_;
    const CaseVerdict& shown_;
    std::vector<Case> cases_;
    std::vector<std::string> found_;
};

// A script's steps depend on each of its operators, so only what its checks say can be told.
std::string told_by_checks(const CaseVerdict& shown) {
    const auto wrong =
        std::find_if(shown.checks.begin(), shown.checks.end(), [](const Check& check) { return !check.ok; });
    return wrong == shown.checks.end()
               ? ""
               : fmt::format("It is {}, where {} is right: {}.", wrong->found, wrong->expected, wrong->why);
}

}  // namespace

std::vector<std::string> findings_of(const Verdict& verdict) {
    if (!verdict.shown().found.ok()) {
        return {};  // the fault is explained by the learner's lines
    }
    if (verdict.lab->is_script()) {
        return {told_by_checks(verdict.shown())};
    }
    return Finder(verdict).all();
}

std::vector<std::string> slips_of(const Verdict& verdict) {
    return verdict.shown().found.ok() ? Finder(verdict).slips() : std::vector<std::string>();
}

}  // namespace sim::labs
