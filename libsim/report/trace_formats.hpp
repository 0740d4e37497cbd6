// This table lists the formats of trace files. A file's suffix says which one it is written in.
//
// A new format is a function in a file of its own and a row in trace_formats.cpp.
#pragma once

#include "libsim/report/timeline.hpp"

#include <ostream>
#include <span>
#include <string_view>

namespace sim::report {

struct TraceFormat {
    std::string_view suffix;  // ".json"
    std::string_view what;    // "Chrome trace JSON, for ui.perfetto.dev"
    void (*write)(std::ostream& out, const Timeline& timeline);
};

// The first is that of files with another suffix, and of standard output.
std::span<const TraceFormat> trace_formats();
const TraceFormat& trace_format_of(std::string_view file);

}  // namespace sim::report
