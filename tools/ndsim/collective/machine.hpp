// `ndsim collective` on a machine: its ranks on the machine's nodes, and the models that time them.
#pragma once

#include "tools/ndsim/collective/options.hpp"

#include <string>

namespace sim::tools {

// Throws UsageError where an option wants a machine that is not given, or messages that NCCL's model does not have.
void check_timing(const CollectiveOptions& options);

// Takes the machine's links, and NCCL's model where it is asked for. The ranks, all of a node where they are not given,
// lie on the fewest nodes that hold them, as evenly as they can, or as many on each as was said. Throws UsageError.
// Requires: a machine.
void take_machine(CollectiveOptions& options, search::Sweep& sweep);

// Where the sweep's ranks lie: "8 ranks of dgx-h100, one node", "16 ranks, dgx-h100" of a topology.
std::string place_text(const search::Sweep& sweep);
// Which model times the sweep, in a sentence for each: "Wire time, without NCCL's overheads".
std::vector<std::string> timing_lines(const search::Sweep& sweep);

}  // namespace sim::tools
