// This function goes over the events of a trace in JSON, one after the other, without keeping them.
#pragma once

#include "libsim/interop/trace_files/event_fields.hpp"
#include "libsim/interop/trace_files/gzip_input.hpp"

#include <functional>
#include <string>

namespace sim::trace_files {

// What a file says of itself, as far as it says it.
struct TraceHead {
    std::optional<std::int64_t> rank;     // distributedInfo.rank
    std::optional<std::int64_t> base_ns;  // baseTimeNanoseconds: what timestamps count from
    bool partial = false;                 // of a run that ended early
    std::string answer = {};              // all that is said of ndsim's run, as one JSON object; empty: nothing
};

// `visit` is handed each event with its place for errors: "trace.json: event 7". The events are those of the list
// traceEvents, or of a file that is a list. Throws UsageError with line and column for what is no JSON, and where there
// is no such list.
TraceHead for_each_event(GzipInput& in, const std::string& file,
                         const std::function<void(const JsonEvent& event, const std::string& where)>& visit);

}  // namespace sim::trace_files
