#include "tools/labs/checks.hpp"

#include "libsim/kernel/parts/describe.hpp"
#include "libsim/names.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sim::labs {

namespace {

// The first rank where the two differ; -1: none.
template <class Found, class Expected>
int first_difference(int ranks, Found found, Expected expected) {
    for (int rank = 0; rank < ranks; ++rank) {
        if (found(rank) != expected(rank)) {
            return rank;
        }
    }
    return -1;
}

// A check of one number per rank; it reports the first rank where it is wrong, or rank 0.
template <class Found, class Expected, class Text>
Check of_every_rank(Aspect aspect, const Record& record, Found found, Expected expected, Text text, std::string why) {
    const int wrong = first_difference(record.timeline.ranks, found, expected);
    const int shown = std::max(wrong, 0);
    const std::string whose = record.timeline.ranks == 1 ? "" : fmt::format(" on rank {}", shown);
    return {.aspect = aspect,
            .ok = wrong < 0,
            .expected = text(expected(shown)) + whose,
            .found = text(found(shown)) + whose,
            .why = std::move(why)};
}

const RankTotals& totals_of(const Record& record, int rank) {
    return record.timeline.totals.at(static_cast<std::size_t>(rank));
}

std::string shown(const std::vector<double>& values) {
    constexpr std::size_t most = 4;
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), most));
    return fmt::format("[{:.6g}{}]", fmt::join(values.begin(), end, ", "),
                       values.size() > most ? fmt::format(", … {} numbers", values.size()) : "");
}

bool is_ordered(const Span& span) {
    return span.kind == OpKind::compute || span.kind == OpKind::send || span.kind == OpKind::receive ||
           span.kind == OpKind::collective;
}

bool is_work(const Span& span) {
    return span.kind == OpKind::compute;
}

std::vector<const Span*> ordered_of(const Record& record, int rank, bool (*counts)(const Span&) = is_ordered) {
    std::vector<const Span*> spans;
    for (const Span& span : record.timeline.spans) {
        if (span.rank == rank && counts(span)) {
            spans.push_back(&span);
        }
    }
    return spans;
}

std::string notes(const Span& span) {
    const char* const preposition = span.kind == OpKind::send ? " to " : " from ";
    const std::string label = span.label->empty() ? "" : fmt::format(" \"{}\"", *span.label);
    return fmt::format("{}{} of {}{}", name_of(span.kind), label, text_of_amount(span),
                       span.peer >= 0 ? preposition + std::to_string(span.peer) : "");
}

std::string told_at(const std::vector<const Span*>& spans, std::size_t at) {
    return at < spans.size() ? notes(*spans[at]) : "nothing more";
}

Check as_the_reference(std::string why) {
    return {.aspect = Aspect::order,
            .ok = true,
            .expected = "as the reference",
            .found = "the same",
            .why = std::move(why)};
}

// A collective is recognised by its label, unless its program gave it another.
bool same_collective(const Span& a, const Span& b) {
    return *a.label == *b.label || !is_name_of_collective(*a.label) || !is_name_of_collective(*b.label);
}

// `counts` selects the steps to compare.
Check same_steps(const Record& found, const Record& reference, bool (*counts)(const Span&), std::string why) {
    const auto same = [](const Span* a, const Span* b) {
        return a->kind == b->kind && a->peer == b->peer && a->amount == b->amount && a->measure == b->measure &&
               (a->kind != OpKind::collective || same_collective(*a, *b));
    };
    for (int rank = 0; rank < reference.timeline.ranks; ++rank) {
        const std::vector<const Span*> theirs = ordered_of(found, rank, counts);
        const std::vector<const Span*> right = ordered_of(reference, rank, counts);
        const auto [a, b] = std::mismatch(theirs.begin(), theirs.end(), right.begin(), right.end(), same);
        if (a != theirs.end() || b != right.end()) {
            const auto at = static_cast<std::size_t>(a - theirs.begin());
            return {.aspect = Aspect::order,
                    .expected = fmt::format("{} as step {} of rank {}", told_at(right, at), at + 1, rank),
                    .found = fmt::format("{} as step {} of rank {}", told_at(theirs, at), at + 1, rank),
                    .why = std::move(why)};
        }
    }
    return as_the_reference(std::move(why));
}

}  // namespace

std::string text_of(Duration time) {
    return report::time_text(Time{time}, 6);
}

std::string text_of_bytes(std::int64_t bytes) {
    return report::bytes_text(bytes, 7, 10);
}

std::string text_of_units(Units units) {
    return fmt::format("{:.9g} units", static_cast<double>(units.billionths()) / 1e9);
}

std::string text_of_amount(const Span& span) {
    switch (span.measure) {
        case Measure::bytes: return text_of_bytes(span.amount);
        case Measure::units: return text_of_units(Units::from_billionths(span.amount));
        case Measure::flops: return fmt::format("{} FLOPs", span.amount);
        case Measure::picoseconds: return kernel::describe_time(Time{Duration{span.amount}});
    }
    return "";
}

bool is_name_of_collective(const std::string& label) {
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::all_to_all); ++kind) {
        if (label == name_of(static_cast<CollectiveKind>(kind))) {
            return true;
        }
    }
    return false;
}

Check time_is(const Record& found, Duration expected, std::string why) {
    return {.aspect = Aspect::time,
            .ok = found.end() == expected,
            .expected = text_of(expected),
            .found = text_of(found.end()),
            .why = std::move(why)};
}

Check rank_ends_at(const Record& found, int rank, Duration expected, std::string why) {
    const Duration end = totals_of(found, rank).end.time_since_epoch();
    return {.aspect = Aspect::time,
            .ok = end == expected,
            .expected = fmt::format("{} on rank {}", text_of(expected), rank),
            .found = fmt::format("{} on rank {}", text_of(end), rank),
            .why = std::move(why)};
}

Check bytes_sent_are(const Record& found, const std::function<std::int64_t(int rank)>& expected, std::string why) {
    return of_every_rank(
        Aspect::bytes, found, [&](int rank) { return totals_of(found, rank).bytes_sent; }, expected, text_of_bytes,
        std::move(why));
}

Check units_sent_are(const Record& found, const std::function<Units(int rank)>& expected, std::string why) {
    return of_every_rank(
        Aspect::bytes, found, [&](int rank) { return Units::from_billionths(totals_of(found, rank).billionths_sent); },
        expected, text_of_units, std::move(why));
}

Check peak_bytes_are(const Record& found, const std::function<std::int64_t(int rank)>& expected, std::string why) {
    return of_every_rank(
        Aspect::memory, found, [&](int rank) { return totals_of(found, rank).peak_bytes; }, expected, text_of_bytes,
        std::move(why));
}

Check reports_are(const Record& found, const std::string& name, const std::map<int, std::vector<double>>& expected,
                  std::string why) {
    const auto by_rank = found.reports.find(name);
    for (const auto& [rank, values] : expected) {
        const std::string whose = fmt::format(" on rank {}", rank);
        if (by_rank == found.reports.end() || !by_rank->second.contains(rank)) {
            return {.aspect = Aspect::data,
                    .expected = shown(values) + whose,
                    .found = fmt::format("no report of \"{}\"{}", name, whose),
                    .why = std::move(why),
                    .report = name};
        }
        const std::vector<double>& theirs = by_rank->second.at(rank);
        if (!std::equal(values.begin(), values.end(), theirs.begin(), theirs.end(),
                        [](double a, double b) { return same_number(a, b); })) {
            return {.aspect = Aspect::data,
                    .expected = shown(values) + whose,
                    .found = shown(theirs) + whose,
                    .why = std::move(why),
                    .report = name};
        }
    }
    const std::string right = expected.empty() ? "" : shown(expected.begin()->second);
    return {
        .aspect = Aspect::data, .ok = true, .expected = right, .found = right, .why = std::move(why), .report = name};
}

Check same_order(const Record& found, const Record& reference, std::string why) {
    return same_steps(found, reference, is_ordered, std::move(why));
}

Check same_work(const Record& found, const Record& reference, std::string why) {
    return same_steps(found, reference, is_work, std::move(why));
}

Check labels_are(const Record& found, const std::function<std::vector<std::string>(int rank)>& expected,
                 std::string why) {
    const auto labels_of = [&](int rank) {
        std::vector<std::string> labels;
        for (const Span* span : ordered_of(found, rank, is_work)) {
            labels.push_back(*span->label);
        }
        return labels;
    };
    for (int rank = 0; rank < found.timeline.ranks; ++rank) {
        const std::vector<std::string> theirs = labels_of(rank);
        const std::vector<std::string> right = expected(rank);
        const auto [a, b] = std::mismatch(theirs.begin(), theirs.end(), right.begin(), right.end());
        if (a != theirs.end() || b != right.end()) {
            const auto text = [&](const auto& at, const auto& end) {
                return fmt::format("{} as computation {} of rank {}", at == end ? "nothing more" : "\"" + *at + "\"",
                                   a - theirs.begin() + 1, rank);
            };
            return {.aspect = Aspect::order,
                    .expected = text(b, right.end()),
                    .found = text(a, theirs.end()),
                    .why = std::move(why)};
        }
    }
    return as_the_reference(std::move(why));
}

// A collective of real data is made of messages with tags that programs cannot use.
bool calls_collectives(const Record& found) {
    return std::any_of(found.timeline.spans.begin(), found.timeline.spans.end(), [](const Span& span) {
        return span.kind == OpKind::collective
                   ? *span.label != name_of(CollectiveKind::barrier)
                   : (span.kind == OpKind::send || span.kind == OpKind::receive) && span.tag < 0;
    });
}

Check total_bytes_are(const Record& found, std::int64_t expected, std::string why) {
    std::int64_t sent = 0;
    for (const RankTotals& totals : found.timeline.totals) {
        sent += totals.bytes_sent;
    }
    return {.aspect = Aspect::bytes,
            .ok = sent == expected,
            .expected = text_of_bytes(expected) + " in all",
            .found = text_of_bytes(sent) + " in all",
            .why = std::move(why)};
}

Check receivers_are_at_most(const Record& found, int most, std::string why) {
    std::map<int, std::set<int>> receivers;
    for (const Span& span : found.timeline.spans) {
        if (span.kind == OpKind::send) {
            receivers[span.rank].insert(span.peer);
        }
    }
    const auto fewer = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
    const auto busiest = std::max_element(receivers.begin(), receivers.end(), fewer);
    const auto number = busiest == receivers.end() ? 0 : static_cast<int>(busiest->second.size());
    const std::string whose = number == 0 ? "" : fmt::format(" on rank {}", busiest->first);
    return {.aspect = Aspect::order,
            .ok = number <= most,
            .expected = fmt::format("sends to at most {} other ranks{}", most, whose),
            .found = fmt::format("sends to {}{}", number, whose),
            .why = std::move(why)};
}

bool same_number(double a, double b, double tolerance) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

double Draw::of(std::initializer_list<double> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_.next() % values.size()));
}

}  // namespace sim::labs
