// cuDNN's batch norm, computed by the CPU's.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <array>
#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

// cuDNN keeps an opaque reserve in training, a bit per activation, and nothing in inference.
Tensor reserve_of(const Tensor& input, bool training) {
    constexpr std::int64_t bits = 8;
    return at::empty({training ? (input.numel() + bits - 1) / bits : 0}, at::kByte);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> norm(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                                                const MaybeTensor& mean, const MaybeTensor& variance, bool training,
                                                double momentum, double epsilon) {
    auto [result, kept_mean, kept_scale] =
        at::native_batch_norm(input, weight, bias, mean, variance, training, momentum, epsilon);
    if (!training) {
        kept_mean = at::empty({0}, weight.options());
        kept_scale = at::empty({0}, weight.options());
    }
    return {result, kept_mean, kept_scale, reserve_of(input, training)};
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> norm_out(const Tensor& input, const Tensor& weight,
                                                        const MaybeTensor& bias, const MaybeTensor& mean,
                                                        const MaybeTensor& variance, bool training, double momentum,
                                                        double epsilon, Tensor& out0, Tensor& out1, Tensor& out2,
                                                        Tensor& out3) {
    const auto [result, kept_mean, kept_scale, reserve] =
        norm(input, weight, bias, mean, variance, training, momentum, epsilon);
    out0.resize_(result.sizes()).copy_(result);
    out1.resize_(kept_mean.sizes()).copy_(kept_mean);
    out2.resize_(kept_scale.sizes()).copy_(kept_scale);
    out3.resize_(reserve.sizes());
    return {out0, out1, out2, out3};
}

std::tuple<Tensor, Tensor, Tensor> norm_backward(const Tensor& input, const Tensor& gradient, const Tensor& weight,
                                                 const MaybeTensor& mean, const MaybeTensor& variance,
                                                 const MaybeTensor& kept_mean, const MaybeTensor& kept_scale,
                                                 double epsilon, const Tensor& /*reserve*/) {
    return at::native_batch_norm_backward(gradient.contiguous(input.suggest_memory_format()), input, weight, mean,
                                          variance, kept_mean, kept_scale, true, epsilon, {true, true, true});
}

}  // namespace

void add_batch_norms(Kernels& kernels) {
    kernels.add("cudnn_batch_norm", norm);
    kernels.add("cudnn_batch_norm.out", norm_out);
    kernels.add("cudnn_batch_norm_backward", norm_backward);
}

}  // namespace sim::slot
