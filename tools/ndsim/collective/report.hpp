// The sweep report shows timed collectives as nccl-tests' table, and as a picture: bus bandwidth over size.
#pragma once

#include "libsim/search/collective_sweep.hpp"
#include "tools/ndsim/collective/table.hpp"

#include <string>
#include <vector>

namespace sim::tools {

TableShape shape_of(const search::Sweep& sweep);
// What is timed, where and how, above the table's head, which it ends with: all lines are comments.
std::string sweep_head(const search::Sweep& sweep, const TableShape& shape);
// One curve for each method; where the fastest was picked, one in all. Empty: no row has a bandwidth above 0.
std::string sweep_svg(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

}  // namespace sim::tools
