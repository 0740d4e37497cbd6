// The known scenarios are the executables that were built together with ndsim and lie beside it.
#pragma once

#include <string>
#include <vector>

namespace sim::tools {

// Their names are compiled in: no file says which program is run.
const std::vector<std::string>& known_scenarios();

}  // namespace sim::tools
