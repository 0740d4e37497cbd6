// The sweep report shows timed collectives as a picture: bus bandwidth over size.
#pragma once

#include "libsim/search/collective_sweep.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// One curve for each method; where the fastest was picked, one in all. Requires: a row with a bandwidth above 0.
std::string sweep_svg(const search::Sweep& sweep, const std::vector<search::SweepRow>& rows);

}  // namespace sim::tools
