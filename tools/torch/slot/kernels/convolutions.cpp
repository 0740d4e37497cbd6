// cuDNN's convolutions, and the depthwise ones of PyTorch's own CUDA kernels. Their backward pass is
// aten::convolution_backward, which the CPU also has.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>

#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
using Sizes = at::IntArrayRef;

Tensor convolve(const Tensor& input, const Tensor& weight, const MaybeTensor& bias, Sizes stride, Sizes padding,
                Sizes dilation, std::int64_t groups) {
    const std::vector<std::int64_t> none(static_cast<std::size_t>(input.dim() - 2), 0);
    return at::convolution(input, weight, bias, stride, padding, dilation, false, none, groups);
}

Tensor cudnn(const Tensor& input, const Tensor& weight, Sizes padding, Sizes stride, Sizes dilation,
             std::int64_t groups, bool /*benchmark*/, bool /*deterministic*/, bool /*allow_tf32*/) {
    return convolve(input, weight, {}, stride, padding, dilation, groups);
}

Tensor& cudnn_out(const Tensor& input, const Tensor& weight, Sizes padding, Sizes stride, Sizes dilation,
                  std::int64_t groups, bool /*benchmark*/, bool /*deterministic*/, bool /*allow_tf32*/, Tensor& out) {
    return out.copy_(convolve(input, weight, {}, stride, padding, dilation, groups));
}

Tensor cudnn_transpose(const Tensor& input, const Tensor& weight, Sizes padding, Sizes output_padding, Sizes stride,
                       Sizes dilation, std::int64_t groups, bool /*benchmark*/, bool /*deterministic*/,
                       bool /*allow_tf32*/) {
    return at::convolution(input, weight, {}, stride, padding, dilation, true, output_padding, groups);
}

Tensor cudnn_relu(const Tensor& input, const Tensor& weight, const MaybeTensor& bias, Sizes stride, Sizes padding,
                  Sizes dilation, std::int64_t groups) {
    return convolve(input, weight, bias, stride, padding, dilation, groups).relu_();
}

Tensor cudnn_add_relu(const Tensor& input, const Tensor& weight, const Tensor& other,
                      const std::optional<at::Scalar>& alpha, const MaybeTensor& bias, Sizes stride, Sizes padding,
                      Sizes dilation, std::int64_t groups) {
    return convolve(input, weight, bias, stride, padding, dilation, groups).add_(other, alpha.value_or(1)).relu_();
}

Tensor depthwise(const Tensor& input, const Tensor& weight, Sizes /*kernel*/, const MaybeTensor& bias, Sizes stride,
                 Sizes padding, Sizes dilation) {
    return convolve(input, weight, bias, stride, padding, dilation, input.size(1));
}

const Tensor& depthwise_out(const Tensor& input, const Tensor& weight, Sizes kernel, const MaybeTensor& bias,
                            Sizes stride, Sizes padding, Sizes dilation, const Tensor& out) {
    const Tensor result = depthwise(input, weight, kernel, bias, stride, padding, dilation);
    at::native::resize_output(out, result.sizes());
    return out.copy_(result);
}

}  // namespace

void add_convolutions(Kernels& kernels) {
    kernels.add("cudnn_convolution", cudnn);
    kernels.add("cudnn_convolution.out", cudnn_out);
    kernels.add("cudnn_convolution_transpose", cudnn_transpose);
    kernels.add("cudnn_convolution_relu", cudnn_relu);
    kernels.add("cudnn_convolution_add_relu", cudnn_add_relu);
    kernels.add("_conv_depthwise2d", depthwise);
    kernels.add("_conv_depthwise2d.out", depthwise_out);
    kernels.add("conv_depthwise3d", depthwise);
}

}  // namespace sim::slot
