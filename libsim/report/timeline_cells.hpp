// Cells divide a timeline into rows, one for each rank and used stream, and columns of equal time: a cell shows what
// fills most of its time.
//
// Idle parts of a message's span count as waiting; a collective counts from when the rank joins it. On the program's
// row, asynchronous ops count only while the program itself waits, and time in which nothing happens counts as waiting.
// A collective inside a computation counts as collective, not as compute.
#pragma once

#include "libsim/report/timeline_rows.hpp"

#include <cstdint>
#include <vector>

namespace sim::report {

enum class CellFill : std::uint8_t { compute, send, receive, collective, checkpoint, waiting, nothing };
inline constexpr int cell_fills = 7;

// Columns of equal time from `begin` to `end`. Requires: 1 <= count <= end - begin in picoseconds.
struct TimeColumns {
    Time end;
    int count = 1;
    Time begin = {};

    Time begin_of(int column) const;
    int at(Time time) const;  // the first column for earlier times, the last for later ones
    // The column whose begin is nearest, the earlier one in a tie; `count` for the end.
    int nearest(Time time) const;
};

struct VisibleTime {
    TimeColumns columns;
    Time now;         // anything later is unknown
    Time broken_off;  // when the rank that ended the run ended; used if the timeline has such a rank
};

// The cells of `rows`, which must be sorted. Cost: spans + cells.
std::vector<std::vector<CellFill>> timeline_cells(const Timeline& timeline, const std::vector<TimelineRow>& rows,
                                                  const VisibleTime& visible);

}  // namespace sim::report
