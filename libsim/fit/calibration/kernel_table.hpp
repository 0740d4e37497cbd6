// This function reads a table of timed kernels, as the script of `ndsim calibrate --print-benchmark` writes it.
//
// CSV with a line of names, in any order; lines that begin with # are comments.
//   kind       forward, input_gradient, weight_gradient (matrix products), memory, flash_forward, flash_backward
//   precision  fp32, fp16, bf16 or fp8; optional for memory
//   m, n, k    for products: C[m, n] = A[m, k] B[k, n]; batch: the number of such products in one kernel
//   bytes      for memory: read plus written
//   sequences, heads, head_dim, tokens   for attention, which is causal: FlashAttention 2
//   seconds    of one kernel
// Other columns are ignored; columns that a kind does not need may be empty.
#pragma once

#include "libsim/fit/calibration/measurement.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// Throws UsageError with file, line and column.
std::vector<Measurement> read_kernel_table(const std::string& text, const std::string& file);

// The script that measures such a table: Python, with PyTorch alone.
std::string_view kernel_benchmark();

}  // namespace sim::fit
