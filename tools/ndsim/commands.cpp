#include "tools/ndsim/command.hpp"

#include "tools/ndsim/topology.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {{"topology", "what a topology is made of, how far its GPUs are apart, and how it looks", run_topology}};
}

}  // namespace sim::scenarios
