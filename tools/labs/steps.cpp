#include "tools/labs/steps.hpp"

#include "libsim/names.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/summands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace sim::labs {

namespace {

// All operations of one kind that a rank does.
struct Done {
    int times = 0;
    std::int64_t amount = 0;
    Measure measure = Measure::bytes;
    std::set<int> peers;

    std::string amount_in_words() const {
        Span span;
        span.amount = amount;
        span.measure = measure;
        return text_of_amount(span);
    }
};

// Collectives go by their names, unless the program gave them labels of its own.
std::string kind_of(const Span& span) {
    if (span.kind != OpKind::collective) {
        return name_of(span.kind);
    }
    return is_name_of_collective(*span.label) ? *span.label : "collective";
}

bool is_step(const Span& span) {
    return span.kind == OpKind::compute || span.kind == OpKind::send || span.kind == OpKind::receive ||
           span.kind == OpKind::collective;
}

std::map<std::string, Done> done_by(const Record& record, int rank) {
    std::map<std::string, Done> done;
    for (const Span& span : record.timeline.spans) {
        if (span.rank != rank || !is_step(span) || span.kind == OpKind::receive) {
            continue;
        }
        Done& of = done[kind_of(span)];
        ++of.times;
        of.amount += span.amount;
        of.measure = span.measure;
        if (span.kind == OpKind::send) {
            of.peers.insert(span.peer);
        }
    }
    return done;
}

std::string times(int count) {
    return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

// The same where "times" has been said.
std::string number(int count) {
    return count <= 2 ? times(count) : std::to_string(count);
}

std::string of_computing(const Done& theirs, const Done& right) {
    if (theirs.times != right.times) {
        return theirs.times == 0 ? "computes nothing"
                                 : fmt::format("computes {}, not {}", times(theirs.times), number(right.times));
    }
    return theirs.amount == right.amount
               ? ""
               : fmt::format("computes {} in all, not {}", theirs.amount_in_words(), right.amount_in_words());
}

std::string of_sending(const Done& theirs, const Done& right) {
    const auto messages = [](int count) { return fmt::format("{} message{}", count, count == 1 ? "" : "s"); };
    if (theirs.times != right.times) {
        return theirs.times == 0 ? "sends nothing"
                                 : fmt::format("sends {}, not {}", messages(theirs.times),
                                               right.times == 0 ? "none" : std::to_string(right.times));
    }
    if (theirs.amount != right.amount) {
        return fmt::format("sends {} in {}, not {}", theirs.amount_in_words(), messages(theirs.times),
                           right.amount_in_words());
    }
    if (theirs.peers != right.peers) {
        return fmt::format("sends to {}, not to {}", named_in_words("rank", {theirs.peers.begin(), theirs.peers.end()}),
                           named_in_words("rank", {right.peers.begin(), right.peers.end()}));
    }
    return "";
}

std::string of_collectives(const std::map<std::string, Done>& theirs, const std::map<std::string, Done>& right) {
    const auto of = [](const std::map<std::string, Done>& all, const std::string& name) {
        const auto found = all.find(name);
        return found == all.end() ? Done{} : found->second;
    };
    std::set<std::string> names;
    for (const std::map<std::string, Done>* const all : {&theirs, &right}) {
        for (const auto& [name, done] : *all) {
            if (name == "collective" || is_name_of_collective(name)) {
                names.insert(name);
            }
        }
    }
    std::string told;
    for (const std::string& name : names) {
        const Done a = of(theirs, name);
        const Done b = of(right, name);
        if (a.times == b.times && a.amount == b.amount) {
            continue;
        }
        const auto calls = [&](int count) {
            return count == 0 ? "no " + name : fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
        };
        told += (told.empty() ? "calls " : ", and ") + (a.times != b.times
                                                            ? fmt::format("{}, not {}", calls(a.times), b.times)
                                                            : fmt::format("{} of {} in all, not {}", calls(a.times),
                                                                          a.amount_in_words(), b.amount_in_words()));
    }
    return told;
}

std::string of_rank(const Record& found, const Record& reference, int rank) {
    std::map<std::string, Done> theirs = done_by(found, rank);
    std::map<std::string, Done> right = done_by(reference, rank);
    std::string told;
    for (const std::string& each :
         {of_computing(theirs[name_of(OpKind::compute)], right[name_of(OpKind::compute)]),
          of_collectives(theirs, right), of_sending(theirs[name_of(OpKind::send)], right[name_of(OpKind::send)])}) {
        told += told.empty() || each.empty() ? each : ", and " + each;
    }
    return told;
}

std::vector<const Span*> steps_of(const Record& record, int rank) {
    std::vector<const Span*> steps;
    for (const Span& span : record.timeline.spans) {
        if (span.rank == rank && is_step(span)) {
            steps.push_back(&span);
        }
    }
    return steps;
}

std::set<std::string> labels_in(const Record& record) {
    std::set<std::string> labels;
    for (const Span& span : record.timeline.spans) {
        labels.insert(*span.label);
    }
    return labels;
}

std::string step_in_words(const std::vector<const Span*>& steps, std::size_t at) {
    if (at >= steps.size()) {
        return "missing";
    }
    const Span& span = *steps[at];
    const std::string amount = text_of_amount(span);
    switch (span.kind) {
        case OpKind::send: return fmt::format("a send of {} to {}", amount, span.peer);
        case OpKind::receive: return fmt::format("a receive of {} from {}", amount, span.peer);
        case OpKind::compute: return fmt::format("\"{}\", {}", *span.label, amount);
        default: return fmt::format("\"{}\" of {}", *span.label, amount);
    }
}

}  // namespace

std::string told_by_counts(const Record& found, const Record& reference) {
    std::string first;
    std::vector<int> alike;
    std::size_t others = 0;
    const int ranks = reference.timeline.ranks;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string told = of_rank(found, reference, rank);
        if (told.empty()) {
            continue;
        }
        first = first.empty() ? told : first;
        told == first ? alike.push_back(rank) : void(++others);
    }
    if (first.empty()) {
        return "";
    }
    const bool all = static_cast<int>(alike.size()) == ranks;
    std::string who = ranks == 1 ? "Your program" : all ? "Every rank" : named_in_words("Rank", alike);
    // "Ranks 1 and 2 send": only the first verb of the sentence has another form.
    if (!all && alike.size() > 1) {
        who = fmt::format("Each of {}", named_in_words("rank", alike));
    }
    return fmt::format("{} {}.{}", who, first, others > 0 ? " Other ranks differ, too." : "");
}

std::string told_by_order(const Record& found, const Record& reference) {
    const std::set<std::string> known = labels_in(reference);
    const auto same = [&known](const Span* a, const Span* b) {
        return a->kind == b->kind && a->peer == b->peer && a->amount == b->amount && a->measure == b->measure &&
               (a->kind != OpKind::compute || *a->label == *b->label || !known.contains(*a->label)) &&
               (a->kind != OpKind::collective || kind_of(*a) == kind_of(*b) || !known.contains(*a->label));
    };
    for (int rank = 0; rank < reference.timeline.ranks; ++rank) {
        const std::vector<const Span*> theirs = steps_of(found, rank);
        const std::vector<const Span*> right = steps_of(reference, rank);
        const auto [a, b] = std::mismatch(theirs.begin(), theirs.end(), right.begin(), right.end(), same);
        if (a != theirs.end() || b != right.end()) {
            const auto at = static_cast<std::size_t>(a - theirs.begin());
            return b == right.end()
                       ? fmt::format("Rank {} goes on after its last step with {}.", rank, step_in_words(theirs, at))
                       : fmt::format("The first other step of rank {}, its step {}, is {}, where {} is right.", rank,
                                     at + 1, step_in_words(theirs, at), step_in_words(right, at));
        }
    }
    return "";
}

std::string told_by_idle_time(const Record& found, const Record& reference) {
    int most = -1;
    Duration longest{0};
    for (int rank = 0; rank < reference.timeline.ranks; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        const Duration more = found.timeline.totals[at].idle - reference.timeline.totals[at].idle;
        if (more > longest) {
            longest = more;
            most = rank;
        }
    }
    if (most < 0) {
        return "";
    }
    const std::vector<const Span*> theirs = steps_of(found, most);
    const std::vector<const Span*> right = steps_of(reference, most);
    std::string where;
    for (std::size_t i = 0; i < theirs.size() && where.empty(); ++i) {
        const Duration usual = i < right.size() ? right[i]->idle : Duration{0};
        if (theirs[i]->idle > usual) {
            where = fmt::format(", from {} on for {}", text_of(theirs[i]->begin.time_since_epoch()),
                                theirs[i]->kind == OpKind::collective ? "the others in " + *theirs[i]->label
                                                                      : fmt::format("rank {}", theirs[i]->peer));
        }
    }
    return fmt::format("Rank {} waits {} longer than it should{}.", most, text_of(longest), where);
}

}  // namespace sim::labs
