// This check determines whether this machine has the memory that a training needs, before the kernel's out-of-memory
// killer ends the run without a word.
#pragma once

#include "scenarios/options/options.hpp"

namespace sim::scenarios {

// Throws MachineLimit, giving the number of ranks that would fit.
void check_memory(const Options& options);

}  // namespace sim::scenarios
