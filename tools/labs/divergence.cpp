#include "tools/labs/divergence.hpp"

#include "libsim/report/text_timeline.hpp"
#include "libsim/report/timeline_rows.hpp"
#include "tools/labs/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::labs {

namespace {

using Row = std::vector<const Span*>;

std::map<report::TimelineRow, Row> rows_of(const Record& record) {
    std::map<report::TimelineRow, Row> rows;
    for (const Span& span : record.timeline.spans) {
        if (report::takes_time(span)) {
            rows[report::timeline_row(span)].push_back(&span);
        }
    }
    return rows;
}

bool same(const Span* a, const Span* b) {
    return a->kind == b->kind && a->peer == b->peer && a->amount == b->amount && a->measure == b->measure &&
           a->begin == b->begin && a->end == b->end;
}

std::string notes(const Row& row, std::size_t at) {
    if (at >= row.size()) {
        return "does nothing more";
    }
    const Span& span = *row[at];
    const std::string time =
        fmt::format("from {} to {}", text_of(span.begin.time_since_epoch()), text_of(span.end.time_since_epoch()));
    switch (span.kind) {
        case OpKind::send: return fmt::format("sends {} to {}, {}", text_of_amount(span), span.peer, time);
        case OpKind::receive: return fmt::format("receives {} from {}, {}", text_of_amount(span), span.peer, time);
        case OpKind::compute: return fmt::format("computes {} \"{}\", {}", text_of_amount(span), *span.label, time);
        default: return fmt::format("{} of {}, {}", *span.label, text_of_amount(span), time);
    }
}

Time begin_of(const Row& row, std::size_t at) {
    return at < row.size() ? row[at]->begin : Time::max();
}

}  // namespace

std::optional<Divergence> first_divergence(const Record& theirs, const Record& reference) {
    const std::map<report::TimelineRow, Row> all = rows_of(theirs);
    const std::map<report::TimelineRow, Row> right = rows_of(reference);
    std::map<report::TimelineRow, Row> both = right;
    both.insert(all.begin(), all.end());  // rows of both
    std::optional<Divergence> first;
    for (const auto& [row, unused] : both) {
        const Row mine = all.contains(row) ? all.at(row) : Row{};
        const Row other = right.contains(row) ? right.at(row) : Row{};
        const auto [a, b] = std::mismatch(mine.begin(), mine.end(), other.begin(), other.end(), same);
        if (a == mine.end() && b == other.end()) {
            continue;
        }
        const auto at = static_cast<std::size_t>(a - mine.begin());
        const Time when = std::min(begin_of(mine, at), begin_of(other, at));
        if (!first || when < first->at) {
            first = {when, fmt::format("rank {}{}: yours {}; the reference {}", row.rank,
                                       row.stream == 0 ? "" : fmt::format(", stream {}", row.stream), notes(mine, at),
                                       notes(other, at))};
        }
    }
    return first;
}

std::string draw_both(const Record& theirs, const Record& reference, int width, bool ascii, bool colour) {
    const std::optional<Divergence> divergence = first_divergence(theirs, reference);
    report::TextStyle style{.width = width, .colour = colour, .ascii = ascii};
    style.until = std::max(theirs.timeline.end_of_all(), reference.timeline.end_of_all());
    if (divergence) {
        style.mark = divergence->at;
    }
    report::Timeline yours = theirs.timeline;
    yours.title = fmt::format("yours, which ends at {}", text_of(theirs.end()));
    yours.fault.clear();  // reported elsewhere
    report::Timeline other = reference.timeline;
    other.title = fmt::format("the reference, which ends at {}", text_of(reference.end()));
    return report::text_timeline(yours, style) + "\n" + report::text_timeline(other, style) + "\n" +
           (divergence ? "First difference, at the mark: " + divergence->text + "\n"
                       : std::string("The timelines are the same.\n"));
}

}  // namespace sim::labs
