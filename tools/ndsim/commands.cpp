#include "tools/ndsim/command.hpp"
#include "tools/ndsim/flows.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"flows", "when flows over shared links end, max-min fair", run_flows},
    };
}

}  // namespace sim::scenarios
