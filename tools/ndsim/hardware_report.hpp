// Hardware as text and as JSON.
#pragma once

#include "libsim/report/table.hpp"
#include "libsim/training/hardware.hpp"

#include <string>

namespace sim::scenarios {

// A line for each machine, and for each accelerator.
std::string hardware_list_text();
std::string hardware_list_json();
// The machines alone.
report::Table machine_rows();

// Every number with its unit, source and confidence.
std::string hardware_text(const model::Hardware& hardware);
std::string hardware_json(const model::Hardware& hardware);
report::Table numbers_of(const model::Hardware& hardware);

}  // namespace sim::scenarios
