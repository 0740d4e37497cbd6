// cuDNN's bilinear sampling of images, with aligned corners and zero padding.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <array>
#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;

// Values of grid_sampler_2d's arguments.
constexpr std::int64_t bilinear = 0;
constexpr std::int64_t zeros = 0;

Tensor grid_of(const Tensor& theta, std::int64_t images, std::int64_t channels, std::int64_t height,
               std::int64_t width) {
    return at::affine_grid_generator(theta, {images, channels, height, width}, true);
}

Tensor grid_backward(const Tensor& gradient, std::int64_t images, std::int64_t channels, std::int64_t height,
                     std::int64_t width) {
    return at::affine_grid_generator_backward(gradient, {images, channels, height, width}, true);
}

Tensor sample(const Tensor& input, const Tensor& grid) {
    return at::grid_sampler_2d(input, grid, bilinear, zeros, true);
}

std::tuple<Tensor, Tensor> sample_backward(const Tensor& input, const Tensor& grid, const Tensor& gradient) {
    return at::grid_sampler_2d_backward(gradient, input, grid, bilinear, zeros, true, {true, true});
}

}  // namespace

void add_grid_samplers(Kernels& kernels) {
    kernels.add("cudnn_affine_grid_generator", grid_of);
    kernels.add("cudnn_affine_grid_generator_backward", grid_backward);
    kernels.add("cudnn_grid_sampler", sample);
    kernels.add("cudnn_grid_sampler_backward", sample_backward);
}

}  // namespace sim::slot
