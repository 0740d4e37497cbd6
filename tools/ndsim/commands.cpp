#include "tools/ndsim/collective.hpp"
#include "tools/ndsim/command.hpp"
#include "tools/ndsim/goal.hpp"

#include "tools/ndsim/topology.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"goal", "run a GOAL schedule under LogGP, as LogGOPSim does", run_goal},
        {"collective", "how long collectives take, by size and algorithm: the table of nccl-tests", run_collective},
    };
    return {{"topology", "what a topology is made of, how far its GPUs are apart, and how it looks", run_topology}};
}

}  // namespace sim::scenarios
