// Dropout, whose CPU kernels do not take a generator, and the scaling in its backward pass.
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;

std::tuple<Tensor, Tensor> dropout(const Tensor& input, double share, std::optional<bool> train) {
    if (train && !*train) {
        return {input.clone(), at::ones_like(input, at::kBool)};
    }
    const Tensor kept = at::empty_like(input, at::kBool).bernoulli_(1 - share, draw(default_generator(-1)));
    return {input.mul(kept).mul_(share == 1 ? 0.0 : 1.0 / (1.0 - share)), kept};
}

// `share` is the probability of keeping an element here.
std::tuple<Tensor, Tensor> fused_dropout(const Tensor& input, double share, std::optional<at::Generator> generator) {
    const Tensor kept = at::empty_like(input, at::kBool).bernoulli_(share, generator);
    return {input.mul(kept).mul_(1.0 / share), kept.to(at::kByte)};
}

Tensor masked_scale(const Tensor& input, const Tensor& mask, double scale) {
    return input.mul(mask).mul_(scale);
}

}  // namespace

void add_random_draws(Kernels& kernels) {
    kernels.add("native_dropout", dropout, Takes::numbers_alone);
    kernels.add("_fused_dropout", fused_dropout, Takes::numbers_alone);
    kernels.add("_masked_scale", masked_scale);
}

}  // namespace sim::slot
