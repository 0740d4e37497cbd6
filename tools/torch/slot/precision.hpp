// How the script lets tensors of fp32 be multiplied, whichever of PyTorch's switches it uses: they may change at any
// call.
#pragma once

namespace sim::slot {

// Tells the GPU, which prices the next operators by it.
void tell_precision();

}  // namespace sim::slot
