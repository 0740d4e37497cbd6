#include "tools/torch/prices/works/parts.hpp"

#include <fmt/format.h>

namespace sim::torch::prices {

using training::OperatorPrecision;

Work memory_work(const Asked& asked, const std::vector<double>& bytes_of_kernels) {
    Work work{.how = memory_traffic, .at_most = asked.times.gpu().memory_bandwidth};
    for (const double bytes : bytes_of_kernels) {
        if (bytes == 0) {
            continue;
        }
        const Duration time = asked.times.memory(bytes);
        if (work.kernels.size() < most_kernels) {
            work.kernels.push_back(time);
        } else {
            work.kernels.back() += time;
        }
        work.done += bytes;
    }
    return work.kernels.empty() ? Work{} : work;
}

Work memory_work(const Asked& asked, double bytes) {
    return memory_work(asked, std::vector{bytes});
}

Work multiplied(const Asked& asked, Duration time, const char* what, double flops, OperatorPrecision precision) {
    return {.kernels = {time},
            .how = fmt::format("{} {}", what, name_of(precision)),
            .done = flops,
            .at_most = asked.times.peak(precision),
            .flops = flops};
}

OperatorPrecision precision_of(const seam::Tensor& tensor, bool tf32) {
    switch (tensor.type) {
        case seam::Type::float16: return OperatorPrecision::fp16;
        case seam::Type::bfloat16: return OperatorPrecision::bf16;
        case seam::Type::float32: return tf32 ? OperatorPrecision::tf32 : OperatorPrecision::fp32;
        // Tensor cores multiply all 8-bit types at the same rate, integer or float.
        case seam::Type::int8:
        case seam::Type::uint8:
        case seam::Type::float8: return OperatorPrecision::fp8;
        default: return OperatorPrecision::fp32;
    }
}

}  // namespace sim::torch::prices
