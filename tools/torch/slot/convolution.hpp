// A convolution with a bias, which on a GPU is cuDNN's convolution and then an addition. The CPU computes both in one
// kernel, so that the results equal those of a script on the CPU; the price is that of the two kernels in sequence.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_convolution(torch::Library& library);

}  // namespace sim::slot
