// Norms and dropout whose kernel is a GPU's alone, or draws random numbers where the CPU's has no generator to be
// given.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_norms(torch::Library& library);

}  // namespace sim::slot
