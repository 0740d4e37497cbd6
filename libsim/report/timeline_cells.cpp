#include "libsim/report/timeline_cells.hpp"

#include <algorithm>
#include <array>

namespace sim::report {

namespace {

using Times = std::array<Duration, cell_fills>;

constexpr auto work_fills = std::to_array<CellFill>(
    {CellFill::compute, CellFill::send, CellFill::receive, CellFill::collective, CellFill::checkpoint});

Duration& time_of(Times& times, CellFill fill) {
    return times[static_cast<std::size_t>(fill)];
}

struct RowTimes {
    std::vector<Times> in_order;  // of the program's or the stream's ops in order
    std::vector<Times> beside;    // of the program's asynchronous ops
};

CellFill fill_of(OpKind kind) {
    switch (kind) {
        case OpKind::send: return CellFill::send;
        case OpKind::receive: return CellFill::receive;
        case OpKind::collective: return CellFill::collective;
        case OpKind::checkpoint: return CellFill::checkpoint;
        default: return CellFill::compute;
    }
}

// `sign` -1 subtracts the time.
void add_time(std::vector<Times>& cells, const TimeColumns& columns, Time begin, Time end, CellFill fill,
              int sign = 1) {
    begin = std::max(begin, columns.begin);
    if (begin >= end || begin >= columns.end) {
        return;
    }
    for (int column = columns.at(begin); column < columns.count && columns.begin_of(column) < end; ++column) {
        const Time from = std::max(begin, columns.begin_of(column));
        const Time to = std::min(end, columns.begin_of(column + 1));
        time_of(cells[static_cast<std::size_t>(column)], fill) += sign * std::max(to - from, Duration{0});
    }
}

void add_span(RowTimes& row, const TimeColumns& columns, const trace::Span& span, Time until) {
    std::vector<Times>& cells = span.stream == Stream::own ? row.beside : row.in_order;
    const CellFill fill = fill_of(span.kind);
    const Duration idle = fill == CellFill::collective ? Duration{0} : span.idle;
    const Time begins = span.begin + idle;
    add_time(cells, columns, span.begin, std::min(begins, until), CellFill::waiting);
    add_time(cells, columns, begins, std::min(span.end, until), fill);
}

// Moves the time of a collective inside a computation from computing, which already includes it, to collective.
void take_from_compute(RowTimes& row, const TimeColumns& columns, const trace::Span& span, Time until) {
    add_time(row.in_order, columns, span.begin, std::min(span.end, until), CellFill::collective);
    add_time(row.in_order, columns, span.begin, std::min(span.end, until), CellFill::compute, -1);
}

// The fill of a cell that is `length` long. While the program waits, its asynchronous ops in flight count.
CellFill most_of(Times times, const Times& beside, Duration length, CellFill rest) {
    Duration left = length;
    for (const CellFill work : work_fills) {
        left -= time_of(times, work);
    }
    for (const CellFill work : work_fills) {
        const Duration part = std::clamp(left, Duration{0}, beside[static_cast<std::size_t>(work)]);
        time_of(times, work) += part;
        left -= part;
    }
    const Duration waited = std::clamp(left, Duration{0}, time_of(times, CellFill::waiting));
    time_of(times, CellFill::waiting) = waited;
    time_of(times, rest) += left - waited;
    // Ties go to the first fill, so work comes before waiting.
    const auto* const longest = std::max_element(times.begin(), times.end());
    return static_cast<CellFill>(longest - times.begin());
}

}  // namespace

Time TimeColumns::begin_of(int column) const {
    const std::int64_t all = (end - begin).count();
    // In two parts: all * column may overflow 64 bits.
    return begin + Duration{all / count * column + all % count * column / count};
}

int TimeColumns::at(Time time) const {
    const Wide column = Wide{(time - begin).count()} * count / (end - begin).count();
    int found = static_cast<int>(std::clamp<Wide>(column, 0, count - 1));
    while (found + 1 < count && begin_of(found + 1) <= time) {
        ++found;
    }
    return found;
}

int TimeColumns::nearest(Time time) const {
    const int column = at(time);
    return time - begin_of(column) > begin_of(column + 1) - time ? column + 1 : column;
}

std::vector<std::vector<CellFill>> timeline_cells(const Timeline& timeline, const std::vector<TimelineRow>& rows,
                                                  const VisibleTime& visible) {
    const TimeColumns& columns = visible.columns;
    const auto count = static_cast<std::size_t>(columns.count);
    std::vector<RowTimes> times(rows.size(), {std::vector<Times>(count), std::vector<Times>(count)});
    const auto visible_until = [&](int rank) {
        return rank == timeline.fault_rank ? std::min(visible.now, visible.broken_off) : visible.now;
    };
    for (const trace::Span& span : timeline.spans) {
        const TimelineRow drawn = drawn_row(timeline, span);
        const auto row = std::lower_bound(rows.begin(), rows.end(), drawn);
        if (row == rows.end() || *row != drawn || !takes_time(span)) {
            continue;
        }
        RowTimes& of_row = times[static_cast<std::size_t>(row - rows.begin())];
        if (timeline.counts(span)) {
            add_span(of_row, columns, span, visible_until(span.rank));
        } else {
            take_from_compute(of_row, columns, span, visible_until(span.rank));
        }
    }
    std::vector<std::vector<CellFill>> cells;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CellFill rest = rows[i].stream == 0 ? CellFill::waiting : CellFill::nothing;
        std::vector<CellFill>& row = cells.emplace_back();
        for (int column = 0; column < columns.count; ++column) {
            const Time begin = columns.begin_of(column);
            const Duration length = std::min(columns.begin_of(column + 1), visible_until(rows[i].rank)) - begin;
            const auto at = static_cast<std::size_t>(column);
            row.push_back(length <= Duration{0} ? CellFill::nothing
                                                : most_of(times[i].in_order[at], times[i].beside[at], length, rest));
        }
    }
    return cells;
}

}  // namespace sim::report
