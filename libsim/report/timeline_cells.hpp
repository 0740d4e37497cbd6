// Cells divide a timeline into rows, one for each rank and used stream, and columns of equal time: a cell has what
// fills most of its time.
//
// Idle parts of a message's span count as waiting; a collective counts from when the rank joins it. On the program's
// row, asynchronous ops count as far as the program itself only waits, and time in which nothing happens is waiting.
// A collective inside a computation is a collective, not computing.
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
    int at(Time time) const;  // the first for what is earlier, the last for what is later
    // The column whose beginning is nearest, the earlier of two; count for the end.
    int nearest(Time time) const;
};

struct VisibleTime {
    TimeColumns columns;
    Time now;         // what is later is unknown
    Time broken_off;  // when the rank that ended the run ended; read where the timeline has one
};

// Of `rows`, which are in order. Cost: spans + cells.
std::vector<std::vector<CellFill>> timeline_cells(const Timeline& timeline, const std::vector<TimelineRow>& rows,
                                                  const VisibleTime& visible);

}  // namespace sim::report
