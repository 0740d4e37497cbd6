// This table lists the formats of trace files. A file's suffix says which one it is written in.
//
// A new format is a function in a file of its own and a row in trace_formats.cpp.
#pragma once

#include "libsim/report/trace_file.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::report {

struct TraceFormat {
    std::string_view suffix;                                    // ".json"; "/": a folder
    std::string_view what;                                      // "Chrome JSON"
    std::vector<TraceFile> (*files)(const Timeline& timeline);  // they refer to it

    bool is_folder() const { return suffix == "/"; }
};

std::span<const TraceFormat> trace_formats();
// Of a name without a suffix, and of standard output (-), the first. Throws UsageError for a suffix that none has.
const TraceFormat& trace_format_of(const std::string& file);
// ".json: Chrome JSON; .csv: …", for --help.
std::string trace_suffixes();

}  // namespace sim::report
