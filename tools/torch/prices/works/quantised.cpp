// Products of inputs that other operators have quantised to 8 or 4 bits, and experts' products in the precision of
// their inputs.
//
// The scales' shape determines the recipe: one per tensor, per row or per block. The rows of each expert are known only
// on the GPU, so all experts are taken to have the same number.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

namespace sim::torch::prices {

using seam::Tensor;
using seam::Type;
using training::GemmKind;
using training::OperatorPrecision;

namespace {

constexpr std::int64_t in_a_byte_of_fp4 = 2;

OperatorPrecision precision_of_scaled(const Tensor& first, const Tensor& scale) {
    if (first.type == Type::other || first.type == Type::uint8) {
        return OperatorPrecision::nvfp4;
    }
    if (scale.type == Type::float8 || scale.type == Type::other || scale.type == Type::uint8) {
        return OperatorPrecision::mxfp8;
    }
    if (elements(scale) <= 1) {
        return OperatorPrecision::fp8;
    }
    const bool is_one_a_row = scale.dimensions < 2 || side_from_end(scale, 1) == 1;
    return is_one_a_row ? OperatorPrecision::fp8_rowwise : OperatorPrecision::fp8_block;
}

OperatorPrecision precision_of_inputs(const Asked& asked, const Tensor& first) {
    const Tensors scales = asked.call.tensors_named("scale_a");
    return scales.empty() ? precision_of(first, asked.tf32.products) : precision_of_scaled(first, *scales.front());
}

std::int64_t depth_of(const Tensor& first, OperatorPrecision precision) {
    return side_from_end(first, 1) * (precision == OperatorPrecision::nvfp4 ? in_a_byte_of_fp4 : 1);
}

struct Grouped {
    training::Gemm shape;  // of one expert; `batch` is the number of experts
    GemmKind kind = GemmKind::forward;
};

// For stand-ins, which get each expert's rows, and its weight as a tensor of its own or all weights as one.
Grouped grouped_by_rows(const Asked& asked, const Tensor& first, std::size_t experts) {
    const auto groups = static_cast<double>(experts);
    const double m = static_cast<double>(side_from_end(first, 2)) / groups;
    const auto k = static_cast<double>(side_from_end(first, 1));
    const Tensor* second = asked.call.tensor_named("mat2");
    if (second != nullptr && second->dimensions == 2) {
        return {.shape = {k, static_cast<double>(side_from_end(*second, 1)), m, groups},
                .kind = GemmKind::weight_gradient};
    }
    return {.shape = {m, static_cast<double>(side_from_end(asked.call.result(), 1)), k, groups}};
}

// The tensors' dimensions show what is cut into groups: the rows of the first, the columns of the second, or the
// reduced dimension.
Grouped grouped_of(const Asked& asked, const Tensor& first, const Tensor& second, OperatorPrecision precision) {
    if (const auto rows = asked.call.integers("rows"); !rows.empty()) {
        return grouped_by_rows(asked, first, rows.size());
    }
    const auto m = static_cast<double>(side_from_end(first, 2));
    const auto n = static_cast<double>(side_from_end(second, 1));
    const auto k = static_cast<double>(depth_of(first, precision));
    if (first.dimensions == 3 && second.dimensions == 3) {
        return {.shape = {m, n, k, static_cast<double>(first.sizes[0])}};
    }
    if (second.dimensions == 3) {
        const auto groups = static_cast<double>(second.sizes[0]);
        return {.shape = {m / groups, n, k, groups}};
    }
    if (first.dimensions == 3) {
        const auto groups = static_cast<double>(first.sizes[0]);
        return {.shape = {m, n / groups, k, groups}};
    }
    // A gradient of n x m weights, from the k rows of all experts.
    const Tensor* ends = asked.call.tensor_named("offs");
    const auto groups = static_cast<double>(ends == nullptr ? 1 : std::max<std::int64_t>(1, elements(*ends)));
    return {.shape = {k / groups, n, m, groups}, .kind = GemmKind::weight_gradient};
}

// Bytes for each weight of a gradient: written, or added to what is there.
double bytes_of_gradient(const Call& call) {
    const auto element = static_cast<double>(element_bytes(call.result().type));
    return call.name().ends_with("_into") ? 2 * element : element;
}

}  // namespace

Work scaled_product_work(const Asked& asked) {
    const Tensor& first = asked.call.tensor({"self"});
    const OperatorPrecision precision = precision_of_inputs(asked, first);
    const training::Gemm shape{static_cast<double>(side_from_end(first, 2)),
                               static_cast<double>(side_from_end(asked.call.result(), 1)),
                               static_cast<double>(depth_of(first, precision))};
    if (shape.flops() == 0) {
        return {};
    }
    const Duration time = asked.times.matrix_product(shape, GemmKind::forward, precision);
    return multiplied(asked, time, "matrix product", shape.flops(), precision);
}

Work grouped_product_work(const Asked& asked) {
    const Tensor& first = asked.call.tensor({"self"});
    const OperatorPrecision precision = precision_of_inputs(asked, first);
    const Grouped all = grouped_of(asked, first, asked.call.tensor({"mat2"}), precision);
    if (!(all.shape.flops() > 0)) {
        return {};
    }
    const Duration time = asked.times.grouped_product(all.shape, all.kind, precision, bytes_of_gradient(asked.call));
    return multiplied(asked, time, "experts' products", all.shape.flops(), precision);
}

}  // namespace sim::torch::prices
