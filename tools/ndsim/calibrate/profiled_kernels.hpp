// Profiled kernels are the measurements in a trace of PyTorch's profiler: its matrix products and its causal attention,
// by shape.
#pragma once

#include "libsim/fit/calibration/measurement.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// One for each shape, in the order in which they come: the median of its times. What for a product was made is not
// told; all count as forward ones. Passed over: products in fp32, which may have run as tf32; attention that is not
// causal, or whose heads share keys; collectives, whose kernels wait for the slowest rank.
//
// Throws UsageError, which names file and event: no trace, or none of these in it.
std::vector<fit::Measurement> read_profiled_kernels(const std::string& file);

}  // namespace sim::tools
