// `ndsim flows FILE.json`: when flows over shared links end, that share them max-min fairly.
#pragma once

namespace sim::scenarios {

int run_flows(int argc, const char* const* argv);

}  // namespace sim::scenarios
