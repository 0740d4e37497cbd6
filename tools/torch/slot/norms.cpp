#include "tools/torch/slot/norms.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/operators.hpp"

#include <ATen/ATen.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
std::tuple<Tensor, Tensor> dropout(const Tensor& input, double share, std::optional<bool> train) {
    const BelowAutograd below;
    const c10::DeviceIndex device = input.device().index();
    const Tensor given = on_cpu(input);
    const bool drops = !train || *train;
    const Tensor mask = drops ? at::empty_like(given, at::kBool).bernoulli_(1 - share, draw(default_generator(device)))
                              : at::ones_like(given, at::kBool);
    const Tensor kept = drops ? given.mul(mask).mul_(share == 1 ? 0.0 : 1.0 / (1.0 - share)) : given.clone();
    const Tensor result = on_gpu(kept, device);
    const Tensor mask_on_gpu = on_gpu(mask, device);
    launch_own("aten::native_dropout", "", device, {input, share, train}, {result, mask_on_gpu});
    return {result, mask_on_gpu};
}

// The gradients of x / rms(x) * weight; `scale` is 1 / rms(x) of each row.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& gradient, const Tensor& input, c10::IntArrayRef shape,
                                             const Tensor& scale, const std::optional<Tensor>& weight,
                                             std::array<bool, 2> wanted) {
    const BelowAutograd below;
    const c10::DeviceIndex device = input.device().index();
    const bool has_weight = weight && weight->defined();
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        (i < input.dim() - static_cast<std::int64_t>(shape.size()) ? rows : columns).push_back(i);
    }
    const Tensor wide = on_cpu(gradient).to(at::kFloat);
    const Tensor factor = on_cpu(scale).to(at::kFloat);
    const Tensor unit = on_cpu(input).to(at::kFloat) * factor;
    const Tensor scaled = has_weight ? wide * on_cpu(*weight).to(at::kFloat) : wide;
    Tensor of_input;
    Tensor of_weight;
    if (wanted[0]) {
        const Tensor whole = factor * (scaled - unit * (scaled * unit).mean(columns, true));
        of_input = on_gpu(whole.to(input.scalar_type()), device);
    }
    if (wanted[1] && has_weight) {
        const Tensor product = wide * unit;
        of_weight = on_gpu((rows.empty() ? product : product.sum(rows)).to(weight->scalar_type()), device);
    }
    launch_own("aten::_fused_rms_norm_backward", "", device,
               {gradient, input, shape, scale, weight, c10::List<bool>({wanted[0], wanted[1]})}, {of_input, of_weight});
    return {of_input, of_weight};
}

bool exists(const char* name) {
    return c10::Dispatcher::singleton().findSchema({name, ""}).has_value();
}

}  // namespace

void register_norms(torch::Library& library) {
    library.impl("native_dropout", dropout);
    if (exists("aten::_fused_rms_norm_backward")) {
        library.impl("_fused_rms_norm_backward", rms_norm_backward);
    }
}

}  // namespace sim::slot
