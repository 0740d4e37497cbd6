#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

namespace sim::torch::prices {

using seam::Tensor;
using training::GemmKind;

Work product_work(const Asked& asked) {
    const Tensor& first = asked.call.tensor({"mat1", "input", "self"});
    const std::int64_t k = side_from_end(first, 1);
    const std::int64_t m = elements(first) / std::max<std::int64_t>(1, k);
    const std::int64_t n = side_from_end(asked.call.result(), 1);
    if (m * n * k == 0) {
        return {};
    }
    // A weight's gradient is gradient.t() @ input; all other products have a contiguous first matrix.
    const bool is_turned = first.dimensions == 2 && !first.is_contiguous;
    const GemmKind kind = is_turned ? GemmKind::weight_gradient : GemmKind::forward;
    const training::Gemm shape{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
    const auto precision = precision_of(first, asked.tf32.products);
    const Duration time = asked.times.matrix_product(shape, kind, precision);
    return multiplied(asked, time, "matrix product", shape.flops(), precision);
}

Work products_work(const Asked& asked) {
    const Tensor& first = asked.call.tensor({"batch1", "self"});
    const training::Gemm shape{
        static_cast<double>(side_from_end(first, 2)), static_cast<double>(side_from_end(asked.call.result(), 1)),
        static_cast<double>(side_from_end(first, 1)), static_cast<double>(side_from_end(first, 3))};
    if (shape.flops() == 0) {
        return {};
    }
    const auto precision = precision_of(first, asked.tf32.products);
    const Duration time = asked.times.matrix_product(shape, GemmKind::forward, precision);
    return multiplied(asked, time, "products side by side", shape.flops(), precision);
}

}  // namespace sim::torch::prices
