// The functions of the seam, implemented by the simulated GPUs of this process.
//
// A process has one PyTorch and one set of GPUs: the table is made once, before PyTorch is imported, and its functions
// use the process's rank when there is one. Without a rank, as in the process that starts ranks, they fail with an
// error.
#pragma once

#include "libsim/training/machine.hpp"
#include "tools/torch/seam.hpp"
#include "tools/torch/table/process.hpp"

namespace sim::torch {

// The table of a process that sees the GPUs of one node of this machine. It lives as long as the process; the next call
// changes it to another machine. `is_hollow`: nothing is computed on its GPUs. Requires: none of their memory is
// reserved.
const seam::Gpu& table_for(const training::Machine& machine, bool is_hollow = false);
// Makes this process the rank; null: not a rank any more. Requires: table_for was called.
void be(Process* process);

}  // namespace sim::torch
