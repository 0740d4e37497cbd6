// These functions write a timeline as a table of spans: comma-separated values, or an object on each line (NDJSON).
//
// Times are integer picoseconds, amounts are whole numbers, and every name has its unit: nothing is rounded. The
// columns are those of span_columns.hpp.
#pragma once

#include "libsim/report/timeline.hpp"

#include <ostream>

namespace sim::report {

void write_span_csv(std::ostream& out, const Timeline& timeline);
void write_span_ndjson(std::ostream& out, const Timeline& timeline);

}  // namespace sim::report
