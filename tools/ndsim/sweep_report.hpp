// Timed collectives for programs and pages: JSON, CSV, and a picture of bus bandwidth over size.
//
// Bandwidths are in bytes per second. One row for each size and method.
#pragma once

#include "libsim/planning/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

// {"command":"collective","collective":"all-reduce","ranks":…,"network":…,"rows":[{"bytes":…,"algorithm":"ring",
// "seconds":…,"algbw":…,"busbw":…,…}]}. Where the fastest was looked for, a row also has what was "considered".
std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows);

// A line of names, then one line for each row.
std::string sweep_csv(const std::vector<SweepRow>& rows);

// One curve for each method; where the fastest was picked, one in all. Requires: a row with a bandwidth above 0.
std::string sweep_svg(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace sim::scenarios
