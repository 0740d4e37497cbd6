// This function writes a timeline as Chrome trace JSON, for ui.perfetto.dev and chrome://tracing.
//
// A process row for each rank, with a thread for each of its streams (compute, send, receive, collective; another where
// receives overlap), an arrow from each send to its receive, and an instant for each log line. Times are microseconds
// with three decimals, cut down to whole nanoseconds so that spans which touch still touch; the exact picoseconds are
// in `args`. The same spans give the same file: nothing in it is of the machine.
// Format: "Trace Event Format", Google; as read by Perfetto.
#pragma once

#include "libsim/report/timeline.hpp"

#include <ostream>

namespace sim::report {

// Needs memory and time for sorting the spans.
void write_chrome_trace(std::ostream& out, const Timeline& timeline);

}  // namespace sim::report
