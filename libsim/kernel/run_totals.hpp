// Run totals are the kernel's counts for a whole run.
#pragma once

#include "libsim/trace/span.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <vector>

namespace sim::kernel {

class Kernel;

struct RunTotals {
    Time end;                       // of the last rank
    std::vector<RankTotals> ranks;  // up to the point the run reached
    std::int64_t messages = 0;
    std::int64_t ops = 0;
};
RunTotals run_totals(const Kernel& kernel);

}  // namespace sim::kernel
