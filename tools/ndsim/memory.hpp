// ndsim memory: what a GPU's memory holds in a training step, and whether that fits.
#pragma once

namespace sim::scenarios {

int run_memory(int argc, const char* const* argv);

}  // namespace sim::scenarios
