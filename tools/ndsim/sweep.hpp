// ndsim sweep: every combination of some options of `ndsim train`, a row each, over all cores and machines.
#pragma once

namespace sim::scenarios {

int run_sweep(int argc, const char* const* argv);

}  // namespace sim::scenarios
