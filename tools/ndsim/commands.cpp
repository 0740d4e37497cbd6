#include "tools/ndsim/command.hpp"

#include "tools/ndsim/collective.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"collective", "how long collectives take, by size and algorithm: the table of nccl-tests", run_collective},
    };
}

}  // namespace sim::scenarios
