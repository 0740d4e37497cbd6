// The functions of the seam, over the simulated GPUs of this process.
//
// PyTorch is one in a process, and so are its GPUs: the table is made once, before PyTorch is imported, and its
// functions find the process's rank when there is one. Without it (in the process that starts ranks) they fail and say
// so.
#pragma once

#include "libsim/training/machine.hpp"
#include "tools/torch/seam.hpp"
#include "tools/torch/table/process.hpp"

namespace sim::torch {

// The table of a process that sees a node's GPUs of this machine. It lives as long as the process, and is another
// machine's from the next call on. `is_hollow`: nothing is computed on its GPUs. Requires: nothing of their memory is
// reserved.
const seam::Gpu& table_for(const training::Machine& machine, bool is_hollow = false);
// From here on this process is the rank; null: it is none. Requires: table_for was called.
void be(Process* process);

}  // namespace sim::torch
