// The trace report prints where the time of a trace went, and how two traces differ.
#pragma once

#include "libsim/interop/trace_files/difference.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/table.hpp"
#include "libsim/trace/stragglers.hpp"

#include <string>

namespace sim::tools {

struct TraceSummary {
    std::string file;
    trace_files::ReadTrace trace;
    trace_files::TraceShares shares;
    trace::Blame blame;
};
TraceSummary summary_of(const std::string& file);

std::string text_of(const TraceSummary& summary);
std::string json_of(const TraceSummary& summary);
report::Table table_of(const TraceSummary& summary);  // a row for each rank

std::string text_of(const trace_files::TraceDifference& difference);
std::string json_of(const trace_files::TraceDifference& difference);
report::Table table_of(const trace_files::TraceDifference& difference);  // a row for each part and each label

// The texts of their schemas and of their tables in columns.json.
report::SchemaText trace_summary_schema();
report::SchemaText trace_diff_schema();
report::SchemaText trace_columns();
report::TableColumns summary_columns();

}  // namespace sim::tools
