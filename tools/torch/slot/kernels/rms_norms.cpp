// The backward pass of RMSNorm, whose forward pass the CPU composes of several operators.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <array>
#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;

// The derivative of x * scale * weight, with scale = 1 / sqrt(mean(x^2) + epsilon) for each row. The steps and their
// order are autograd's on the CPU, so that the results are identical.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& gradient, const Tensor& input, at::IntArrayRef shape,
                                             const Tensor& scale, const std::optional<Tensor>& weight,
                                             std::array<bool, 2> wanted) {
    std::vector<std::int64_t> outer;
    std::vector<std::int64_t> inner;
    std::int64_t elements = 1;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        const bool is_outer = i < input.dim() - static_cast<std::int64_t>(shape.size());
        (is_outer ? outer : inner).push_back(i);
        elements *= is_outer ? 1 : input.size(i);
    }
    const c10::ScalarType type = input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const bool has_weight = weight && weight->defined();
    const Tensor wide = gradient.to(type);
    const Tensor x = input.to(type);
    const Tensor r = scale.to(type);
    const Tensor of_unit = has_weight ? wide * weight->to(type) : wide;
    Tensor of_input;
    Tensor of_weight;
    if (wanted[0]) {
        const Tensor of_scale = (of_unit * x).sum(inner, true);
        const Tensor of_mean = -0.5 * of_scale * r.pow(3);
        of_input = (of_unit * r + of_mean.expand_as(x) / elements * (2 * x)).to(input.scalar_type());
    }
    if (wanted[1] && has_weight) {
        const Tensor product = wide * (x * r);
        of_weight = (outer.empty() ? product : product.sum(outer)).to(weight->scalar_type());
    }
    return {of_input, of_weight};
}

}  // namespace

void add_rms_norms(Kernels& kernels) {
    kernels.add("_fused_rms_norm_backward", rms_norm_backward);
}

}  // namespace sim::slot
