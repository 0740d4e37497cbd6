// The random numbers of a simulated GPU. Its state is a GPU's, a seed and an offset, which frameworks read and set; the
// numbers are the CPU's: each operator draws from a generator of its own, which seed and offset determine.
#pragma once

#include <ATen/core/Generator.h>

namespace sim::slot {

// That of a device; -1: of the current one.
at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);
// The CPU generator of one operator, which moves the offset on. Requires: `generator` is one of a simulated GPU.
at::Generator draw(const at::Generator& generator);

}  // namespace sim::slot
