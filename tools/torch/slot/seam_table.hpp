// The simulated GPUs of this process, as the launcher passed them, and those of them that it sees.
#pragma once

#include "tools/torch/seam.hpp"

#include <cstdint>
#include <string>

namespace sim::slot {

// Requires: has_gpu().
const seam::Gpu& gpu();
bool has_gpu();

// The number of GPUs that the process sees: those in CUDA_VISIBLE_DEVICES at its first use, numbered from 0 in that
// order, or all of them. 0 if there is no simulated GPU at all.
int visible_devices();
inline bool is_visible(int device) {
    return device >= 0 && device < visible_devices();
}
// The seam's number of a visible device. Requires: is_visible(device).
std::int32_t seam_device(int device);
// Number 0 is GPU-00000000-0000-0000-0000-000000000001, the same in every run.
std::string uuid_of(std::int32_t number);

}  // namespace sim::slot

// Called before PyTorch is imported, with a table that outlives the process.
extern "C" void ndsim_use_gpu(const sim::seam::Gpu* gpu);
