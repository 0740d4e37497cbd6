// What works are made of: kernels that read and write, and kernels that multiply in one precision.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "tools/torch/prices/works/works.hpp"

#include <initializer_list>
#include <vector>

namespace sim::torch::prices {

// The most kernels that a call is told as. Where there are more of them, the last one stands for the rest: on a stream
// they run one after the other.
inline constexpr std::size_t most_kernels = 8;

// Kernels that read and write so many bytes, one after the other. None for those without a byte.
Work memory_work(const Asked& asked, const std::vector<double>& bytes_of_kernels);
Work memory_work(const Asked& asked, double bytes);

// One kernel that multiplies.
Work multiplied(const Asked& asked, Duration time, const char* what, double flops,
                training::OperatorPrecision precision);

// That of a product with this tensor.
training::OperatorPrecision precision_of(const seam::Tensor& tensor, bool tf32);

}  // namespace sim::torch::prices
