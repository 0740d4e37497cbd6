// These functions place the ranks of `ndsim collective` on a machine's nodes and choose the models that time them.
#pragma once

#include "tools/ndsim/collective/options.hpp"

#include <string>

namespace sim::tools {

// Throws UsageError if an option needs a machine and none is given, or needs messages, which NCCL's model lacks.
void check_timing(const CollectiveOptions& options);

// Sets the sweep's links to the machine's, and NCCL's model if it is requested. The ranks (default: one full node) are
// spread evenly over the fewest nodes that hold them, or --ranks-per-node on each. Throws UsageError. Requires: a
// machine.
void take_machine(CollectiveOptions& options, search::Sweep& sweep);

// The placement of the sweep's ranks: "8 ranks of dgx-h100, on one node", or "16 ranks, dgx-h100" on a topology.
std::string place_text(const search::Sweep& sweep);
// A sentence for each model that times the sweep: "Wire time, without NCCL's overheads".
std::vector<std::string> timing_lines(const search::Sweep& sweep);

}  // namespace sim::tools
