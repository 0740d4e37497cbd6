#include "tools/ndsim/command.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {};
}

}  // namespace sim::scenarios
