// The parts of works: kernels that read and write, and kernels that multiply in one precision.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "tools/torch/prices/works.hpp"

#include <initializer_list>
#include <vector>

namespace sim::torch::prices {

// The most kernels that a call is reported as. The last one stands for any beyond: on a stream they run in sequence.
inline constexpr std::size_t most_kernels = 8;

// Kernels in sequence that read and write this many bytes each. Those without bytes are left out.
Work memory_work(const Asked& asked, const std::vector<double>& bytes_of_kernels);
Work memory_work(const Asked& asked, double bytes);

// One kernel that multiplies matrices.
Work multiplied(const Asked& asked, Duration time, const char* what, double flops,
                training::OperatorPrecision precision);

// The precision of a product with this tensor.
training::OperatorPrecision precision_of(const seam::Tensor& tensor, bool tf32);

}  // namespace sim::torch::prices
