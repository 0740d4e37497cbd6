// A convolution with a bias, which on a GPU is cuDNN's convolution and then an addition. The CPU's makes both in one,
// so that its numbers are those of a script on the CPU, and the two are priced one after the other.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_convolution(torch::Library& library);

}  // namespace sim::slot
