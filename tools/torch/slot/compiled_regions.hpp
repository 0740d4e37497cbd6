// Compiled regions are the calls of functions compiled by torch.compile, and their part of the backward pass.
//
// A node of autograd's graph belongs to the call in which it was created: nodes are numbered in order within each
// thread.
#pragma once

#include "tools/torch/seam.hpp"

namespace sim::slot {

// Call these around a call of a compiled function, in its thread. Nested calls count once.
void begin_compiled();
void end_compiled();

// Whether an operator called now by this thread is compiled.
bool is_compiled();

// Informs the simulated GPU of a change, before an operator is launched on a stream.
void tell_compiled(seam::Stream stream);

}  // namespace sim::slot
