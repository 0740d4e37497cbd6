// ndsim collective: how long collectives take on any network, by size and algorithm; what nccl-tests is to real GPUs.
#pragma once

namespace sim::scenarios {

int run_collective(int argc, const char* const* argv);

}  // namespace sim::scenarios
