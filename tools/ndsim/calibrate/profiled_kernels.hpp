// Profiled kernels are the measurements in a trace of PyTorch's profiler: its matrix products and its causal attention,
// by shape.
#pragma once

#include "libsim/fit/calibration/measurement.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// Returns the median time of each shape, in order of first appearance. A trace does not tell the purpose of a matrix
// product; all count as forward ones. Ignored are products in fp32, which may have run as tf32; attention that is not
// causal or whose heads share keys; and collectives, whose kernels wait for the slowest rank.
//
// Throws UsageError, which names the file and event, if the file is not a trace or has none of these kernels.
std::vector<fit::Measurement> read_profiled_kernels(const std::string& file);

}  // namespace sim::tools
