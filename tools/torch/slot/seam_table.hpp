// The simulated GPUs of this process, as the launcher passed them.
#pragma once

#include "tools/torch/seam.hpp"

namespace sim::slot {

// Requires: has_gpu().
const seam::Gpu& gpu();
bool has_gpu();

}  // namespace sim::slot

// Called before PyTorch is imported, with a table that outlives the process.
extern "C" void ndsim_use_gpu(const sim::seam::Gpu* gpu);
