#include "tools/ndsim/command.hpp"
#include "tools/ndsim/flows.hpp"
#include "tools/ndsim/goal.hpp"

#include "tools/ndsim/topology.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"flows", "when flows over shared links end, max-min fair", run_flows},
        {"goal", "run a GOAL schedule under LogGP, as LogGOPSim does", run_goal},
    };
    return {{"topology", "what a topology is made of, how far its GPUs are apart, and how it looks", run_topology}};
}

}  // namespace sim::scenarios
