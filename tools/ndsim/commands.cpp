#include "tools/ndsim/command.hpp"
#include "tools/ndsim/goal.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"goal", "run a GOAL schedule under LogGP, as LogGOPSim does", run_goal},
    };
}

}  // namespace sim::scenarios
