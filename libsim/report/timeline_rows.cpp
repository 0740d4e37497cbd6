#include "libsim/report/timeline_rows.hpp"

#include <algorithm>

namespace sim::report {

TimelineRow timeline_row(const trace::Span& span) {
    return {span.rank, span.stream == Stream::own ? 0 : static_cast<int>(span.stream)};
}

TimelineRow drawn_row(const Timeline& timeline, const trace::Span& span) {
    return timeline.counts(span) ? timeline_row(span) : TimelineRow{span.rank, 0};
}

bool takes_time(const trace::Span& span) {
    return span.kind != OpKind::log && span.kind != OpKind::allocate && span.end > span.begin;
}

std::vector<TimelineRow> timeline_rows(const Timeline& timeline) {
    std::vector<TimelineRow> rows;
    rows.reserve(static_cast<std::size_t>(timeline.ranks));
    for (int rank = 0; rank < timeline.ranks; ++rank) {
        rows.push_back({rank, 0});
    }
    TimelineRow last;
    for (const trace::Span& span : timeline.spans) {
        const TimelineRow row = timeline_row(span);
        if (row.stream != 0 && row != last && takes_time(span) && timeline.counts(span)) {
            rows.push_back(row);
            last = row;
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

std::vector<TimelineRow> shown_rows(const std::vector<TimelineRow>& all, int most, int always) {
    const auto room = static_cast<std::size_t>(std::max(most, 2));
    if (all.size() <= room) {
        return all;
    }
    const auto last = static_cast<std::ptrdiff_t>(room / 2);
    const auto first = static_cast<std::ptrdiff_t>(room) - last;
    std::vector<TimelineRow> rows(all.begin(), all.begin() + first);
    const auto wanted = std::lower_bound(all.begin(), all.end(), TimelineRow{always, 0});
    if (always >= 0 && wanted >= all.begin() + first && wanted < all.end() - last) {
        rows.back() = *wanted;
    }
    rows.insert(rows.end(), all.end() - last, all.end());
    return rows;
}

}  // namespace sim::report
