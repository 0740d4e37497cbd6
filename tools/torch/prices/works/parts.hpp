// The parts of works: kernels that read and write, and kernels that multiply in one precision.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "tools/torch/prices/works.hpp"

#include <initializer_list>
#include <vector>

namespace sim::torch::prices {

// The most kernels that a call is reported as. The last one stands for any beyond: on a stream they run in sequence.
inline constexpr std::size_t most_kernels = 8;

// A kernel that reads and writes this many bytes, of which it accesses some elements one by one.
struct Pass {
    double bytes = 0;
    double single = 0;
};

// Kernels in sequence. Those without bytes are left out.
Work passes_work(const Asked& asked, const std::vector<Pass>& passes);
// The same, without elements that are accessed one by one.
Work memory_work(const Asked& asked, const std::vector<double>& bytes_of_kernels);
Work memory_work(const Asked& asked, double bytes);

// The kernels of a radix sort of keys and their 8-byte indices: a count of digits, and for each byte of a key one
// kernel that moves both. Between them are kernels that clear counters, sum them up, and number the elements.
std::vector<Pass> radix_sort(std::int64_t count, std::int64_t key_bytes);

// One kernel that multiplies matrices.
Work multiplied(const Asked& asked, Duration time, const char* what, double flops,
                training::OperatorPrecision precision);

// The precision of a product with this tensor.
training::OperatorPrecision precision_of(const seam::Tensor& tensor, bool tf32);

}  // namespace sim::torch::prices
