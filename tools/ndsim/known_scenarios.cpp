#include "tools/ndsim/known_scenarios.hpp"

#include <algorithm>

namespace sim::tools {

const std::vector<std::string>& known_scenarios() {
    static const std::vector<std::string> names{NDSIM_SCENARIO_NAMES};
    return names;
}

bool is_scenario(const std::string& name) {
    return std::find(known_scenarios().begin(), known_scenarios().end(), name) != known_scenarios().end();
}

}  // namespace sim::tools
