// These functions read tables of spans as ndsim writes them: CSV with a header line, or one JSON object per line.
//
// Columns may come in any order, and unknown ones are ignored. Both throw UsageError with file, line and column.
#pragma once

#include "libsim/interop/trace_files/gzip_input.hpp"
#include "libsim/interop/trace_files/span_collector.hpp"

#include <string>

namespace sim::trace_files {

void read_span_csv(GzipInput& in, const std::string& file, SpanCollector& spans);
void read_span_ndjson(GzipInput& in, const std::string& file, SpanCollector& spans);

}  // namespace sim::trace_files
