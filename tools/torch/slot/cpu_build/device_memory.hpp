// The memory of all devices in a build of PyTorch for the CPU, as torch.cuda.memory sets it: beside device.hpp.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace sim::slot {

// Throws ValueError, in one line, at a setting that PyTorch does not know.
void change_memory_settings(const std::string& text);
// Of the GPU's memory, at most this is reserved from now on.
void limit_memory(c10::DeviceIndex device, double fraction);
double memory_fraction(c10::DeviceIndex device);

}  // namespace sim::slot
