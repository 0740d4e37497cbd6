#include "tools/labs/summands.hpp"

#include "tools/labs/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::labs {

namespace {

using Numbers = std::vector<double>;
using Times = std::vector<int>;

constexpr std::size_t most_named = 8;

bool adds_up(const Numbers& sum, const std::vector<Numbers>& summands, const Times& times) {
    const auto is_at = [&](std::size_t i) {
        double expected = 0;
        double largest = 0;
        for (std::size_t j = 0; j < summands.size(); ++j) {
            expected += times[j] * summands[j][i];
            largest = std::max(largest, std::abs(summands[j][i]));
        }
        return std::abs(sum[i] - expected) <= 1e-9 * std::max(largest, std::abs(sum[i]));
    };
    // The ends and the middle rule out nearly all.
    if (sum.empty() || !is_at(0) || !is_at(sum.size() - 1) || !is_at(sum.size() / 2)) {
        return false;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
        if (!is_at(i)) {
            return false;
        }
    }
    return true;
}

int total_of(const Times& times) {
    return std::accumulate(times.begin(), times.end(), 0);
}

// Multiples up to this one are tried of so many summands.
int most_times(std::size_t summands) {
    return summands <= 4 ? 4 : summands <= 6 ? 3 : summands <= 8 ? 2 : 0;
}

// Every combination, if there are few.
std::vector<Times> all_combinations(const Numbers& sum, const std::vector<Numbers>& summands) {
    const int most = most_times(summands.size());
    std::vector<Times> solutions;
    Times times(summands.size(), 0);
    for (bool more = true; more;) {
        if (adds_up(sum, summands, times)) {
            solutions.push_back(times);
        }
        more = false;
        for (int& each : times) {
            if (each < most) {
                ++each;
                more = true;
                break;
            }
            each = 0;
        }
    }
    return solutions;
}

// For many summands: one alone, one missing, one twice; the first or the last so many.
std::vector<Times> likely_combinations(const Numbers& sum, const std::vector<Numbers>& summands) {
    std::vector<Times> solutions;
    const std::size_t count = summands.size();
    const auto look_at = [&](const Times& times) {
        if (adds_up(sum, summands, times)) {
            solutions.push_back(times);
        }
    };
    for (std::size_t j = 0; j < count; ++j) {
        for (const auto& [others, own] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 2}}) {
            Times times(count, others);
            times[j] = own;
            look_at(times);
        }
    }
    for (std::size_t first = 2; first + 1 < count; ++first) {
        Times times(count, 0);
        std::fill_n(times.begin(), first, 1);
        look_at(times);
        std::reverse(times.begin(), times.end());
        look_at(times);
    }
    look_at(Times(count, 0));
    look_at(Times(count, 1));
    return solutions;
}

// One summand alone, several times.
std::vector<Times> multiples(const Numbers& sum, const std::vector<Numbers>& summands) {
    // A single number is too easily explained: it is the same summand each time, or twice or three times one.
    const auto all = static_cast<double>(summands.size());
    std::vector<Times> solutions;
    for (std::size_t j = 0; j < summands.size() && !sum.empty(); ++j) {
        const double times = summands[j].front() == 0 ? 0 : std::round(sum.front() / summands[j].front());
        if (times < 2 || (times > 3 && times != all)) {
            continue;
        }
        Times alone(summands.size(), 0);
        alone[j] = static_cast<int>(times);
        if (adds_up(sum, summands, alone)) {
            solutions.push_back(alone);
        }
    }
    return solutions;
}

std::string whose(const std::string& owner, const std::vector<int>& numbers) {
    return numbers.size() == 1 ? fmt::format("{} {}'s", owner, numbers.front())
                               : "those of " + named_in_words(owner, numbers);
}

Numbers piece_of(const Numbers& all, int pieces, int piece) {
    const auto length = static_cast<std::ptrdiff_t>(all.size()) / pieces;
    return {all.begin() + piece * length, all.begin() + (piece + 1) * length};
}

std::vector<Numbers> summands_of_piece(const Summands& of, int piece) {
    std::vector<Numbers> summands;
    for (const Numbers& each : of.of) {
        summands.push_back(piece_of(each, of.pieces, piece));
    }
    return summands;
}

bool equal_numbers(const Numbers& a, const Numbers& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_number(x, y); });
}

const Numbers& numbers_of(const Record& record, const std::string& report, int rank) {
    static const Numbers none;
    const auto by_rank = record.reports.find(report);
    const auto own = by_rank == record.reports.end() ? decltype(by_rank->second.begin()){} : by_rank->second.find(rank);
    return by_rank == record.reports.end() || own == by_rank->second.end() ? none : own->second;
}

// The pieces of a result that hold as many summands, and which those are.
struct Group {
    std::string count;
    std::vector<int> pieces;
    std::vector<std::string> which;  // of each piece

    std::string told() const {
        const bool alike =
            std::all_of(which.begin(), which.end(), [&](const auto& each) { return each == which.front(); });
        if (which.front().empty()) {
            return count;
        }
        return fmt::format("{}: {}", count, alike ? which.front() : fmt::format("{}", fmt::join(which, ", ")));
    }
};

// `chunks 0 and 2 of "gradient" hold …; chunk 1 holds …`. Empty: not explained.
std::string of_rank(const Summands& of, const Numbers& theirs, const Numbers& right) {
    std::vector<Group> groups;
    for (int piece = 0; piece < of.pieces; ++piece) {
        const Numbers sum = piece_of(theirs, of.pieces, piece);
        if (of.pieces > 1 && equal_numbers(sum, piece_of(right, of.pieces, piece))) {
            continue;
        }
        const std::optional<Held> held = held_in(sum, summands_of_piece(of, piece));
        if (!held) {
            return "";
        }
        const HeldText text = text_of(*held, of);
        auto same =
            std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.count == text.count; });
        same = same == groups.end() ? groups.insert(same, {text.count, {}, {}}) : same;
        same->pieces.push_back(piece);
        same->which.push_back(text.which);
    }
    std::string told;
    for (const Group& group : groups) {
        const std::string verb = group.pieces.size() == 1 ? "holds" : "hold";
        told += of.pieces == 1
                    ? fmt::format("\"{}\" holds {}", of.report, group.told())
                    : fmt::format("{}{}{} {} {}", told.empty() ? "" : "; ", named_in_words(of.piece, group.pieces),
                                  told.empty() ? fmt::format(" of \"{}\"", of.report) : "", verb, group.told());
    }
    return told;
}

std::vector<Times> combinations_in(const Numbers& sum, const std::vector<Numbers>& summands) {
    if (std::any_of(summands.begin(), summands.end(), [&](const Numbers& each) { return each.size() != sum.size(); })) {
        return {};
    }
    // A summand of zeros can be there or not.
    std::vector<std::size_t> zeros;
    for (std::size_t j = 0; j < summands.size(); ++j) {
        if (std::all_of(summands[j].begin(), summands[j].end(), [](double each) { return each == 0; })) {
            zeros.push_back(j);
        }
    }
    std::vector<Times> solutions =  // A single number is too easily explained by any of many combinations.
        most_times(summands.size()) > 0 && sum.size() > 1 ? all_combinations(sum, summands)
                                                          : likely_combinations(sum, summands);
    std::sort(solutions.begin(), solutions.end());
    solutions.erase(std::unique(solutions.begin(), solutions.end()), solutions.end());
    if (solutions.empty()) {
        solutions = multiples(sum, summands);
    }
    std::erase_if(solutions, [&](const Times& times) {
        return std::any_of(zeros.begin(), zeros.end(), [&](std::size_t j) { return times[j] != 0; });
    });
    // Nothing is in it twice, if that explains it.
    const auto is_plain = [](const Times& times) {
        return std::all_of(times.begin(), times.end(), [](int each) { return each <= 1; });
    };
    if (std::any_of(solutions.begin(), solutions.end(), is_plain)) {
        std::erase_if(solutions, [&](const Times& each) { return !is_plain(each); });
    }
    return solutions;
}

}  // namespace

std::string named_in_words(const std::string& what, const std::vector<int>& numbers) {
    if (numbers.size() == 1) {
        return fmt::format("{} {}", what, numbers.front());
    }
    const std::string many = what.ends_with("ch") ? what + "es" : what + "s";
    const bool is_range =
        numbers.size() > 2 && numbers.back() - numbers.front() + 1 == static_cast<int>(numbers.size());
    if (is_range) {
        return fmt::format("{} {} to {}", many, numbers.front(), numbers.back());
    }
    const std::size_t shown = std::min(numbers.size() - 1, most_named);
    const std::vector<int> first(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(shown));
    return fmt::format(
        "{} {} and {}", many, fmt::join(first, ", "),
        shown + 1 == numbers.size() ? std::to_string(numbers.back()) : fmt::format("{} more", numbers.size() - shown));
}

std::optional<Held> held_in(const Numbers& sum, const std::vector<Numbers>& summands) {
    const std::vector<Times> solutions = combinations_in(sum, summands);
    if (solutions.empty()) {
        return std::nullopt;
    }
    const int total = total_of(solutions.front());
    if (std::any_of(solutions.begin(), solutions.end(), [&](const Times& each) { return total_of(each) != total; })) {
        return std::nullopt;
    }
    return Held{.times = solutions.front(), .is_certain = solutions.size() == 1};
}

HeldText text_of(const Held& held, const Summands& of) {
    const int all = static_cast<int>(held.times.size());
    const int total = total_of(held.times);
    std::vector<int> there;
    std::vector<int> missing;
    std::vector<int> again;
    for (int j = 0; j < all; ++j) {
        const int times = held.times[static_cast<std::size_t>(j)];
        (times == 0 ? missing : there).push_back(j);
        if (times > 1) {
            again.push_back(j);
        }
    }
    if (total == 0) {
        return {"nothing but 0", ""};
    }
    const std::string count = total > all ? fmt::format("{} {} in place of {}", total, of.kind, all)
                                          : fmt::format("{} of {} {}", total, all, of.kind);
    if (!held.is_certain) {
        return {count, ""};
    }
    if (!again.empty()) {
        const bool twice = std::all_of(again.begin(), again.end(),
                                       [&](int j) { return held.times[static_cast<std::size_t>(j)] == 2; });
        return {count,
                fmt::format("{} {}{}", whose(of.owner, again), twice ? "twice" : "several times",
                            missing.empty() ? "" : fmt::format(", and {} not at all", whose(of.owner, missing)))};
    }
    return {count, there.size() <= missing.size()
                       ? whose(of.owner, there)
                       : fmt::format("{} {} missing", whose(of.owner, missing), missing.size() == 1 ? "is" : "are")};
}

bool may_hold_summands(const Lab& lab, const Case& played, const Record& found, const Record& reference,
                       const std::string& report) {
    for (int rank = 0; rank < played.ranks; ++rank) {
        const Numbers& theirs = numbers_of(found, report, rank);
        const Numbers& right = numbers_of(reference, report, rank);
        if (theirs.size() != right.size() || equal_numbers(theirs, right)) {
            continue;
        }
        const std::vector<Summands> all = lab.summands(played, rank);
        const bool is_explained = std::any_of(all.begin(), all.end(), [&](const Summands& of) {
            bool is_it = of.report == report;
            for (int piece = 0; is_it && piece < of.pieces; ++piece) {
                is_it = !combinations_in(piece_of(theirs, of.pieces, piece), summands_of_piece(of, piece)).empty();
            }
            return is_it;
        });
        if (!is_explained) {
            return false;
        }
    }
    return true;
}

std::string told_by_summands(const Lab& lab, const Case& played, const Record& found, const Record& reference,
                             const std::string& report) {
    if (lab.summands == nullptr) {
        return "";
    }
    // The first wrong rank's sentence, and which ranks it is true of.
    std::string first;
    std::vector<int> alike;
    std::vector<int> others;
    for (int rank = 0; rank < played.ranks; ++rank) {
        const Numbers& theirs = numbers_of(found, report, rank);
        const Numbers& right = numbers_of(reference, report, rank);
        if (right.empty() || equal_numbers(theirs, right)) {
            continue;
        }
        std::string told;
        for (const Summands& of : lab.summands(played, rank)) {
            if (told.empty() && of.report == report && theirs.size() == right.size()) {
                told = of_rank(of, theirs, right);
            }
        }
        if (first.empty() && !others.empty()) {
            return "";
        }
        first = first.empty() && others.empty() ? told : first;
        (told == first ? alike : others).push_back(rank);
    }
    if (first.empty()) {
        return "";
    }
    const int wrong = static_cast<int>(alike.size() + others.size());
    const std::string where = played.ranks == 1 ? ""
                              : static_cast<int>(alike.size()) == played.ranks
                                  ? "On every rank, "
                                  : fmt::format("On {}, ", named_in_words("rank", alike));
    const std::string rest = others.empty()          ? ""
                             : wrong == played.ranks ? " The other ranks are wrong, too."
                                                     : fmt::format(" {} {} wrong, too.", named_in_words("Rank", others),
                                                                   others.size() == 1 ? "is" : "are");
    std::string told = where + first + "." + rest;
    told.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(told.front())));
    return told;
}

}  // namespace sim::labs
