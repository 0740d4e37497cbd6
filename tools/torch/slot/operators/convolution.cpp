#include "tools/torch/slot/choices.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/operators/operators.hpp"
#include "tools/torch/slot/tape.hpp"

#include <ATen/ATen.h>
#include <ATen/NativeFunctions.h>
#include <ATen/native/ConvUtils.h>

#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

struct ConvolutionShape {
    at::IntArrayRef stride;
    at::IntArrayRef padding;
    at::IntArrayRef dilation;
    bool transposed;
    at::IntArrayRef output_padding;
    std::int64_t groups;
};

bool is_on_one_gpu(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    return input.is_cuda() && input.device() == weight.device() && input.device() == bias.device();
}

bool is_cudnn(const Tensor& input, const Tensor& weight, const MaybeTensor& bias, const ConvolutionShape& shape) {
    if (input.dim() < 3 || !is_on_one_gpu(input, weight, *bias)) {
        return false;
    }
    const auto backend = at::native::select_conv_backend(
        input, weight, bias, c10::fromIntArrayRefSlow(shape.stride), c10::fromIntArrayRefSlow(shape.padding),
        c10::fromIntArrayRefSlow(shape.dilation), shape.transposed, c10::fromIntArrayRefSlow(shape.output_padding),
        shape.groups, std::nullopt);
    return backend == at::native::ConvBackend::Cudnn || backend == at::native::ConvBackend::CudnnTranspose;
}

// cuDNN's convolutions have at least two dimensions.
Tensor widened(const Tensor& tensor) {
    return tensor.dim() == 3 ? tensor.unsqueeze(2) : tensor;
}

std::vector<std::int64_t> widened(at::IntArrayRef sizes, std::int64_t of_new) {
    std::vector<std::int64_t> wide(sizes.begin(), sizes.end());
    if (wide.size() == 1) {
        wide.insert(wide.begin(), of_new);
    }
    return wide;
}

void launch_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& result,
                        const ConvolutionShape& shape, bool benchmark, bool deterministic, bool allow_tf32) {
    const c10::DeviceIndex device = input.device().index();
    const std::vector<std::int64_t> padding = widened(shape.padding, 0);
    const std::vector<std::int64_t> stride = widened(shape.stride, 1);
    const std::vector<std::int64_t> dilation = widened(shape.dilation, 1);
    if (shape.transposed) {
        launch_own("aten::cudnn_convolution_transpose", "", device,
                   {widened(input), widened(weight), padding, widened(shape.output_padding, 0), stride, dilation,
                    shape.groups, benchmark, deterministic, allow_tf32},
                   {widened(result)});
    } else {
        launch_own("aten::cudnn_convolution", "", device,
                   {widened(input), widened(weight), padding, stride, dilation, shape.groups, benchmark, deterministic,
                    allow_tf32},
                   {widened(result)});
    }
    std::vector<std::int64_t> along_channels(static_cast<std::size_t>(result.dim()), 1);
    along_channels[1] = bias.numel();
    launch_own("aten::add_", "Tensor", device, {result, bias.view(along_channels), 1}, {result});
}

Tensor convolve_with_bias(const Tensor& input, const Tensor& weight, const MaybeTensor& bias, at::IntArrayRef stride,
                          at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                          at::IntArrayRef output_padding, std::int64_t groups, bool benchmark, bool deterministic,
                          bool cudnn_enabled, bool allow_tf32) {
    const BelowAutograd below;
    const ConvolutionShape shape{stride, padding, dilation, transposed, output_padding, groups};
    if (is_hollow_run() || !bias || !bias->defined() || !cudnn_enabled || !is_cudnn(input, weight, bias, shape)) {
        return at::native::_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                                        groups, benchmark, deterministic, cudnn_enabled, allow_tf32);
    }
    const auto compute = [input = on_cpu(input), weight = on_cpu(weight), bias = on_cpu(*bias), stride = stride.vec(),
                          padding = padding.vec(), dilation = dilation.vec(), transposed,
                          output_padding = output_padding.vec(), groups] {
        return at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
    };
    if (Tape* const tape = Tape::of(input.device().index())) [[unlikely]] {
        for (const Tensor& tensor : {input, weight, *bias}) {
            tape->touch(tensor);
        }
    }
    const Tensor made = compute();
    if (Tape* const tape = Tape::of(input.device().index())) [[unlikely]] {
        tape->add([made, compute] {
            const BelowAutograd below;
            made.copy_(compute());
        });
    }
    const Tensor result = on_gpu(made, input.device().index());
    launch_convolution(input, weight, *bias, result, shape, benchmark, deterministic, allow_tf32);
    return result;
}

}  // namespace

void register_convolution(torch::Library& library) {
    library.impl("_convolution", convolve_with_bias);
}

}  // namespace sim::slot
