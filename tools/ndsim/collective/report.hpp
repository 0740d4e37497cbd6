// Timed collectives as nccl-tests' table and as a plot of bus bandwidth over size, checked message by message.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// The table shows timed collectives as nccl-tests prints them, a line for each size: size, count, type, redop, root,
// time, algbw, busbw.
//
// As in nccl-tests, size is the bytes of the whole array (collective_case.hpp); count is the elements that each rank
// passes to the call; root is -1 for collectives without one; time is in microseconds; GB/s are 10^9 bytes per second.
// Lines that begin with # are comments. Further columns follow: #wrong if results are checked, and the algorithm if
// it is picked for each size. Several methods stand side by side with a time and a busbw each; a * marks the fastest
// of several algorithms for a size.
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

// Executes `timed` message by message on fibers, once with sizes only and once with floats, and records how many floats
// are wrong. Returns an error text if a run takes another time than `timed` or fails, else an empty text.
std::string check_with_data(const search::Sweep& sweep, search::TimedMethod& timed);

// Executes `timed` once more and returns the messages of all ranks, and the fault if the run fails.
report::Timeline message_timeline(const search::Sweep& sweep, const search::TimedMethod& timed);

TableShape shape_of(const search::Sweep& sweep);
// Comment lines that tell what is timed, where and how, followed by the table's head.
std::string sweep_head(const search::Sweep& sweep, const TableShape& shape);
// One curve for each method, or a single one if the fastest is picked for each size. Empty if no row has a bandwidth
// above 0.
std::string sweep_svg(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

}  // namespace sim::tools
