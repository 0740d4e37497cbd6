// The memory settings of torch.cuda.memory in a build of PyTorch for the CPU; complements device.hpp.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace sim::slot {

// Throws ValueError, in one line, for a setting unknown to PyTorch.
void change_memory_settings(const std::string& text);
// Limits reserved memory to this fraction of the GPU's memory from now on.
void limit_memory(c10::DeviceIndex device, double fraction);
double memory_fraction(c10::DeviceIndex device);

}  // namespace sim::slot
