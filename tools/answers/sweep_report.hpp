// The sweep report shows timed collectives to programs and pages: JSON, a table, and a picture of bus bandwidth over
// size.
//
// Bandwidths are in bytes per second.
#pragma once

#include "libsim/report/table.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// {"command":"collective","collective":"all-reduce","ranks":…,"network":…,"rows":[{"bytes":…,"algorithm":"ring",
// "seconds":…,"algbw":…,"busbw":…,…}]}. Where the fastest was looked for, a row also has what was "considered".
std::string sweep_json(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

// A row for each size and method.
report::Table sweep_rows(const std::vector<search::SweepRow>& rows);

// One curve for each method; where the fastest was picked, one in all. Requires: a row with a bandwidth above 0.
std::string sweep_svg(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

}  // namespace sim::tools
