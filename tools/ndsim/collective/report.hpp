// The sweep report shows timed collectives as nccl-tests' table and as a plot of bus bandwidth over size.
#pragma once

#include "libsim/search/collective_sweep.hpp"
#include "tools/ndsim/collective/table.hpp"

#include <string>
#include <vector>

namespace sim::tools {

TableShape shape_of(const search::Sweep& sweep);
// Comment lines that tell what is timed, where and how, followed by the table's head.
std::string sweep_head(const search::Sweep& sweep, const TableShape& shape);
// One curve for each method, or a single one if the fastest is picked for each size. Empty if no row has a bandwidth
// above 0.
std::string sweep_svg(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

}  // namespace sim::tools
