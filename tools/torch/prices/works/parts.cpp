#include "tools/torch/prices/works/parts.hpp"

#include <fmt/format.h>

namespace sim::torch::prices {

using training::OperatorPrecision;

Work passes_work(const Asked& asked, const std::vector<Pass>& passes) {
    Work work{.how = memory_traffic, .at_most = asked.times.gpu().memory_bandwidth};
    for (const auto& [bytes, single] : passes) {
        if (bytes == 0) {
            continue;
        }
        const Duration time = asked.times.memory(bytes, single);
        if (work.kernels.size() < most_kernels) {
            work.kernels.push_back(time);
        } else {
            work.kernels.back() += time;
        }
        work.done += bytes;
    }
    return work.kernels.empty() ? Work{} : work;
}

Work memory_work(const Asked& asked, const std::vector<double>& bytes_of_kernels) {
    std::vector<Pass> passes;
    for (const double bytes : bytes_of_kernels) {
        passes.push_back({.bytes = bytes});
    }
    return passes_work(asked, passes);
}

std::vector<Pass> radix_sort(std::int64_t count, std::int64_t key_bytes) {
    constexpr std::int64_t index_bytes = 8;
    constexpr double counters = 8 * 256;  // one for each value of a byte
    const Pass small{.bytes = counters};
    std::vector<Pass> passes{{.bytes = static_cast<double>(count * key_bytes)}, small, small, small};
    passes.push_back({.bytes = static_cast<double>(count * index_bytes)});
    for (std::int64_t byte = 0; byte < key_bytes; ++byte) {
        passes.push_back(small);
        passes.push_back({.bytes = static_cast<double>(2 * count * (key_bytes + index_bytes))});
    }
    return passes;
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
