// `ndsim topology NAME|FILE.toml`: what a topology is made of, how far its GPUs are apart, and how it looks.
#pragma once

namespace sim::scenarios {

int run_topology(int argc, const char* const* argv);

}  // namespace sim::scenarios
