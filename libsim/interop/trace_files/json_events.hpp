// This function visits the events of a JSON trace one by one, without keeping them.
#pragma once

#include "libsim/interop/trace_files/event_fields.hpp"
#include "libsim/interop/trace_files/gzip_input.hpp"

#include <functional>
#include <string>

namespace sim::trace_files {

// A file's statements about itself; any of them may be missing.
struct TraceHead {
    std::optional<std::int64_t> rank;     // distributedInfo.rank
    std::optional<std::int64_t> base_ns;  // baseTimeNanoseconds: the origin of timestamps
    bool partial = false;                 // the run ended early
    std::string answer = {};              // ndsim's description of its run, as one JSON object; empty: none
};

// Calls `visit` for each event with its place for errors: "trace.json: event 7". The events are those of the list
// traceEvents, or of a file that is itself a list. Throws UsageError with line and column for text that is not JSON,
// and if there is no such list.
TraceHead for_each_event(GzipInput& in, const std::string& file,
                         const std::function<void(const JsonEvent& event, const std::string& where)>& visit);

}  // namespace sim::trace_files
