// Differences between versions of PyTorch, from 2.6 on.
#pragma once

#include <torch/version.h>

#define SIM_SLOT_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

namespace sim::slot {

// The version of cuDNN that this PyTorch was released with, or would have been for CUDA, as cudnnGetVersion returns it.
// ATen chooses operators by it. Set by the builder.
constexpr int cudnn_parts[] = {NDSIM_CUDNN_VERSION};  // major, minor, patch
constexpr long cudnn_version = cudnn_parts[0] * 10000L + cudnn_parts[1] * 100 + cudnn_parts[2];

}  // namespace sim::slot
