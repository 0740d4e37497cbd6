// The rows of a timeline are its ranks, each with the streams that it uses.
#pragma once

#include "libsim/report/timeline.hpp"

#include <vector>

namespace sim::report {

struct TimelineRow {
    int rank = 0;
    int stream = 0;  // 0: the program, and its asynchronous ops

    friend auto operator<=>(const TimelineRow&, const TimelineRow&) = default;
};
TimelineRow timeline_row(const trace::Span& span);

// The row on which the span is drawn; spans inside a computation share its row.
TimelineRow drawn_row(const Timeline& timeline, const trace::Span& span);

// False for log lines and memory.
bool takes_time(const trace::Span& span);

// The rows of all ranks, in order. Cost: ranks + spans.
std::vector<TimelineRow> timeline_rows(const Timeline& timeline);

// At most `most` of the rows: the first, the last, and the program of rank `always` (-1: none).
std::vector<TimelineRow> shown_rows(const std::vector<TimelineRow>& all, int most, int always);

}  // namespace sim::report
