// Timed collectives for programs: JSON and a table. Bandwidths are in bytes per second.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::search {

// One object on one line, with a row for each size and method. Where the fastest was looked for, a row also has what
// was "considered".
std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows);

// A row for each size and method.
report::Table sweep_rows(const Sweep& sweep, const std::vector<SweepRow>& rows);

// tools/schemas/collective.schema.json, and its part of columns.json.
report::SchemaText collective_schema();
report::SchemaText collective_columns();

}  // namespace sim::search
