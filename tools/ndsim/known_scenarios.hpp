// The scenarios are executables beside this one. Their names are compiled in, so that no file can choose the program
// that runs.
#pragma once

#include <string>
#include <vector>

namespace sim::tools {

const std::vector<std::string>& known_scenarios();
bool is_scenario(const std::string& name);

}  // namespace sim::tools
