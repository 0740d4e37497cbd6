// What a training step runs on, by name or from a file: docs/hardware.md.
#pragma once

#include "libsim/training/hardware.hpp"

#include <string>

namespace sim::scenarios {

// The name of a machine, of an accelerator (its usual machine), or a FILE.toml. Throws UsageError.
model::Machine read_machine(const std::string& name_or_file);

// The same with every number's source; an accelerator's name stands for it alone.
model::Hardware read_hardware(const std::string& name_or_file);

}  // namespace sim::scenarios
