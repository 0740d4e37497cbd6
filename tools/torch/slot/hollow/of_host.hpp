// The host's tensors in a hollow run: large ones have no numbers either, so that a model which is made on the host, and
// moved to the GPU, takes no memory and no time of this computer.
#pragma once

namespace sim::slot {

// From here on, in this thread and in those of PyTorch that work for it. Requires: a hollow run.
void leave_host_hollow();

}  // namespace sim::slot
