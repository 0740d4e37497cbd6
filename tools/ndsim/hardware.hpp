// `ndsim hardware [NAME|FILE.toml]`: the machines and accelerators there are, and every number of one with its source.
#pragma once

namespace sim::scenarios {

int run_hardware(int argc, const char* const* argv);

}  // namespace sim::scenarios
