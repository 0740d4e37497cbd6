// The table shows timed collectives as nccl-tests prints them, a line for each size: size, count, type, redop, root,
// time, algbw, busbw.
//
// As in nccl-tests, size is the bytes of the whole array (collective_case.hpp); count is the elements that each rank
// passes to the call; root is -1 for collectives without one; time is in microseconds; GB/s are 10^9 bytes per second.
// Lines that begin with # are comments. Further columns follow: #wrong if results are checked, and the algorithm if
// it is picked for each size. Several methods stand side by side with a time and a busbw each; a * marks the fastest
// of several algorithms for a size.
#pragma once

#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct TableShape {
    std::vector<std::string> methods;  // their names; one, or several side by side
    bool picked = false;               // a column names the algorithm
    bool checked = false;
};

std::string table_head(const TableShape& shape);
std::string table_line(const TableShape& shape, const search::SweepRow& row);
// The average bus bandwidth of each method.
std::string table_foot(const TableShape& shape, const std::vector<search::SweepRow>& rows);

// Comment lines that explain how each time of the row was computed, and why that is exact.
std::string explanation(const search::SweepRow& row);

}  // namespace sim::tools
