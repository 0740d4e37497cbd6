// These functions read the machine of a training step, which is given by name or as a file: docs/hardware.md.
#pragma once

#include "libsim/training/hardware.hpp"

#include <string>

namespace sim::predict {

// Takes the name of a machine or of an accelerator (for its usual machine), or a FILE.toml. Throws UsageError.
training::Machine read_machine(const std::string& name_or_file);
// The same machine, and the source of each of its numbers.
training::Hardware read_machine_with_sources(const std::string& name_or_file);

// The same with every number's source; an accelerator's name stands for the accelerator alone.
training::Hardware read_hardware(const std::string& name_or_file);

}  // namespace sim::predict
