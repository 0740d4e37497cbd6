// The table shows timed collectives as nccl-tests prints them, a line for each size: size, count, type, redop, root,
// time, algbw, busbw.
//
// As there: sizes in bytes, of the whole array (collective_case.hpp); count in elements, of what each rank passes to
// the call; root -1 where there is none; time in microseconds; GB/s are 10^9 bytes per second. Lines that begin with #
// are no data. Further columns follow: the algorithm where it was picked for each size; #wrong where it was checked.
// Several methods stand side by side, time and busbw each, the fastest of several algorithms of a size with a *.
#pragma once

#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct TableShape {
    std::vector<std::string> methods;  // as they are called; one, or several side by side
    bool picked = false;               // a column says which algorithm
    bool checked = false;
};

std::string table_head(const TableShape& shape);
std::string table_line(const TableShape& shape, const search::SweepRow& row);
// The average bus bandwidth, for each method by its name.
std::string table_foot(const TableShape& shape, const std::vector<search::SweepRow>& rows);

// Explains how each time of a row was found, and why that is exact: comment lines.
std::string explanation(const search::SweepRow& row);

}  // namespace sim::tools
