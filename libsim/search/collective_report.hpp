// This report prints timed collectives for programs, as JSON and as a table. Bandwidths are in bytes per second.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::search {

// One JSON object on one line, with a row for each size and method. If the fastest was searched for, rows also list the
// candidates under "considered".
std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows);

// A row for each size and method.
report::Table sweep_rows(const Sweep& sweep, const std::vector<SweepRow>& rows);

// tools/schemas/collective.schema.json, and its part of columns.json.
report::SchemaText collective_schema();
report::SchemaText collective_columns();

}  // namespace sim::search
