// Which of the simulated GPUs the process sees: those that CUDA_VISIBLE_DEVICES named when it first asked, numbered
// from 0 in that order, or all of them.
#pragma once

#include <cstdint>
#include <string>

namespace sim::slot {

// 0 where there is no simulated GPU at all.
int visible_devices();
inline bool is_visible(int device) {
    return device >= 0 && device < visible_devices();
}
// The seam's number of a device that the process sees. Requires: is_visible(device).
std::int32_t seam_device(int device);
// GPU-00000000-0000-0000-0000-000000000001 is number 0: the same in every run.
std::string uuid_of(std::int32_t number);

}  // namespace sim::slot
