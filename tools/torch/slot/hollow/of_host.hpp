// The host's tensors in a hollow run: large ones have no values either, so that a model that is created on the host and
// moved to the GPU takes no memory and no time on this computer.
#pragma once

namespace sim::slot {

// Takes effect from now on, in this thread and in PyTorch's threads that work for it. Requires: a hollow run.
void leave_host_hollow();

}  // namespace sim::slot
