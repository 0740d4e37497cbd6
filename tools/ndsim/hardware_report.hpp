// Hardware as text and as JSON.
#pragma once

#include "libsim/training/hardware.hpp"

#include <string>

namespace sim::scenarios {

// A line for each machine, and for each accelerator.
std::string hardware_list_text();
std::string hardware_list_json();

// Every number with its unit, source and confidence.
std::string hardware_text(const model::Hardware& hardware);
std::string hardware_json(const model::Hardware& hardware);

}  // namespace sim::scenarios
