// What torch.compile has compiled: what a compiled function calls, and the part of a backward pass that it has made.
//
// A node of autograd's graph belongs to the call in which it was made: nodes are numbered in each thread, in their
// order.
#pragma once

#include "tools/torch/seam.hpp"

namespace sim::slot {

// Around a call of a compiled function, in its thread. Calls within calls count once.
void begin_compiled();
void end_compiled();

// Whether an operator that this thread calls now is compiled.
bool is_compiled();

// Tells the simulated GPU, where it has changed, before an operator is launched on a stream.
void tell_compiled(seam::Stream stream);

}  // namespace sim::slot
