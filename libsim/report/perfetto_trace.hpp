// This function writes a timeline as a Perfetto trace (protobuf), for ui.perfetto.dev and trace_processor.
//
// It is what Chrome JSON shows, in a third of the bytes: a process track for each rank, below it a track for each of
// its lanes in their order, slices with debug annotations, arrows of messages, memory as a counter. Times are
// nanoseconds, cut down; the exact picoseconds are annotations. Process ids begin at 1, because 0 is the system's idle
// process. Source: protos/perfetto/trace/ of Perfetto: trace_packet, track_event, track_descriptor, interned_data.
#pragma once

#include "libsim/report/timeline.hpp"

#include <ostream>

namespace sim::report {

// Needs memory and time for sorting the spans.
void write_perfetto_trace(std::ostream& out, const Timeline& timeline);

}  // namespace sim::report
