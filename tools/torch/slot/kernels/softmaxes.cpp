// Softmax as autocast calls it on a GPU: half precision in, single precision out, in one kernel.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

namespace sim::slot {

namespace {

using at::Tensor;

Tensor widened(const Tensor& input, bool half_to_float) {
    return half_to_float ? input.to(at::kFloat) : input;
}

Tensor& into(Tensor& out, const Tensor& result) {
    return out.resize_(result.sizes()).copy_(result);
}

Tensor softmax(const Tensor& input, std::int64_t dim, bool half_to_float) {
    return at::_softmax(widened(input, half_to_float), dim, false);
}

Tensor& softmax_out(const Tensor& input, std::int64_t dim, bool half_to_float, Tensor& out) {
    return into(out, softmax(input, dim, half_to_float));
}

Tensor log_softmax(const Tensor& input, std::int64_t dim, bool half_to_float) {
    return at::_log_softmax(widened(input, half_to_float), dim, false);
}

Tensor& log_softmax_out(const Tensor& input, std::int64_t dim, bool half_to_float, Tensor& out) {
    return into(out, log_softmax(input, dim, half_to_float));
}

Tensor softmax_backward(const Tensor& gradient, const Tensor& output, std::int64_t dim, at::ScalarType input) {
    return at::_softmax_backward_data(gradient, output, dim, gradient.scalar_type()).to(input);
}

Tensor& softmax_backward_out(const Tensor& gradient, const Tensor& output, std::int64_t dim, at::ScalarType input,
                             Tensor& out) {
    return into(out, softmax_backward(gradient, output, dim, input));
}

Tensor log_softmax_backward(const Tensor& gradient, const Tensor& output, std::int64_t dim, at::ScalarType input) {
    return at::_log_softmax_backward_data(gradient, output, dim, gradient.scalar_type()).to(input);
}

Tensor& log_softmax_backward_out(const Tensor& gradient, const Tensor& output, std::int64_t dim, at::ScalarType input,
                                 Tensor& out) {
    return into(out, log_softmax_backward(gradient, output, dim, input));
}

}  // namespace

void add_softmaxes(Kernels& kernels) {
    kernels.add("_softmax", softmax);
    kernels.add("_softmax.out", softmax_out);
    kernels.add("_log_softmax", log_softmax);
    kernels.add("_log_softmax.out", log_softmax_out);
    kernels.add("_softmax_backward_data", softmax_backward);
    kernels.add("_softmax_backward_data.out", softmax_backward_out);
    kernels.add("_log_softmax_backward_data", log_softmax_backward);
    kernels.add("_log_softmax_backward_data.out", log_softmax_backward_out);
}

}  // namespace sim::slot
