// The door of `ndsim explain` for scenarios: `ndsim explain 1d_data_parallel --ranks 8`.
#pragma once

namespace sim::tools {

// argv[0] is the scenario's name. Options that are not the explanation's own are the scenario's. Returns the exit code.
int run_explain_scenario(int argc, const char* const* argv);

}  // namespace sim::tools
