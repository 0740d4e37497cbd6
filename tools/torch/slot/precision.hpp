// The script's precision of fp32 products, whichever of PyTorch's switches it uses. It may change before any call.
#pragma once

namespace sim::slot {

// Passes the precision to the GPU, which prices the next operators by it.
void tell_precision();

}  // namespace sim::slot
