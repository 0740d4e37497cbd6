// This table lists the formats of trace files. A file's suffix selects its format.
//
// A new format is a function in a file of its own, its declaration here and a row in trace_formats.cpp
// (docs/traces.md#a-format-of-your-own).
#pragma once

#include "libsim/report/timeline.hpp"

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::report {

// A trace is one file, or several in a folder; a function writes each.
struct TraceFile {
    std::string name;  // within its folder; empty: the trace is this one file
    std::function<void(std::ostream&)> write;
};

struct TraceFormat {
    std::string_view suffix;                                    // ".json"; "/": a folder
    std::string_view what;                                      // "Chrome JSON"
    std::vector<TraceFile> (*files)(const Timeline& timeline);  // the files refer to the timeline
    bool is_chrome_json = false;                                // viewers read it as a whole

    bool is_folder() const { return suffix == "/"; }
};

std::span<const TraceFormat> trace_formats();
// The format of a file's suffix; the first format for a name without a suffix, and for standard output (-). Throws
// UsageError for an unknown suffix.
const TraceFormat& trace_format_of(const std::string& file);
// With more events than this, viewers of Chrome JSON are slow and come close to a browser's memory limit.
inline constexpr std::size_t most_chrome_events = 1'000'000;
// Advice for a trace with too many events for its format, naming the file to write instead; empty if none is needed.
// Cost: spans.
std::string viewing_advice(const std::string& file, const Timeline& timeline,
                           std::size_t most_events = most_chrome_events);

// ".json: Chrome JSON; .csv: …", for --help.
std::string trace_suffixes();

// The writers; the .cpp files describe their formats. All but span tables sort the spans, at the cost of time and
// memory.
void write_chrome_trace(std::ostream& out, const Timeline& timeline);
void write_perfetto_trace(std::ostream& out, const Timeline& timeline);
void write_span_csv(std::ostream& out, const Timeline& timeline);
void write_span_ndjson(std::ostream& out, const Timeline& timeline);
// One file per rank: rank_0.json.gz, rank_1.json.gz, …
std::vector<TraceFile> kineto_files(const Timeline& timeline);

}  // namespace sim::report
