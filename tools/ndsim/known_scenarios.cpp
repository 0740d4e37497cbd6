#include "tools/ndsim/known_scenarios.hpp"

namespace sim::tools {

const std::vector<std::string>& known_scenarios() {
    static const std::vector<std::string> names{NDSIM_SCENARIO_NAMES};
    return names;
}

}  // namespace sim::tools
