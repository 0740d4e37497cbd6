// The parts of a batch norm whose batch is spread over several ranks (SyncBatchNorm): each rank's mean and scale, those
// of all ranks, and the same for the backward pass. `scale` is 1 / sqrt(variance + epsilon).
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

// Half precision is summed in single precision, as on a GPU.
c10::ScalarType wide_type(const Tensor& tensor) {
    return tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

Tensor wide(const Tensor& tensor) {
    return tensor.to(wide_type(tensor));
}

bool given(const MaybeTensor& tensor) {
    return tensor && tensor->defined();
}

std::vector<std::int64_t> all_but_channels(const Tensor& input) {
    std::vector<std::int64_t> dimensions{0};
    for (std::int64_t i = 2; i < input.dim(); ++i) {
        dimensions.push_back(i);
    }
    return dimensions;
}

Tensor along_channels(const Tensor& of_channels, const Tensor& input) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
    shape[1] = of_channels.numel();
    return of_channels.view(shape);
}

std::tuple<Tensor, Tensor> statistics(const Tensor& input, double epsilon) {
    auto [result, mean, scale] = at::native_batch_norm(wide(input), {}, {}, {}, {}, true, 0.0, epsilon);
    return {mean, scale};
}

Tensor element(const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias, const Tensor& mean,
               const Tensor& scale, double /*epsilon*/) {
    const Tensor slope = given(weight) ? scale * wide(*weight) : scale;
    const Tensor offset = given(bias) ? wide(*bias) - mean * slope : -mean * slope;
    return (wide(input) * along_channels(slope, input) + along_channels(offset, input)).to(input.scalar_type());
}

Tensor& element_out(const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias, const Tensor& mean,
                    const Tensor& scale, double epsilon, Tensor& out) {
    return out.copy_(element(input, weight, bias, mean, scale, epsilon));
}

std::tuple<Tensor, Tensor> gather(const Tensor& /*input*/, const Tensor& means, const Tensor& scales,
                                  const MaybeTensor& running_mean, const MaybeTensor& running_variance, double momentum,
                                  double epsilon, const Tensor& counts) {
    const Tensor weights = counts.to(means.scalar_type()).reshape({-1, 1});
    const Tensor total = weights.sum();
    const Tensor mean = (means * weights).sum(0) / total;
    const Tensor variances = scales.square().reciprocal() - epsilon;
    const Tensor squares = ((variances + (means - mean).square()) * weights).sum(0);
    if (given(running_mean)) {
        running_mean->copy_(*running_mean * (1 - momentum) + mean * momentum);
    }
    if (given(running_variance)) {
        running_variance->copy_(*running_variance * (1 - momentum) + squares / (total - 1) * momentum);
    }
    return {mean, (squares / total + epsilon).rsqrt()};
}

std::tuple<Tensor, Tensor> gather_equal(const Tensor& input, const Tensor& means, const Tensor& scales,
                                        const MaybeTensor& running_mean, const MaybeTensor& running_variance,
                                        double momentum, double epsilon, std::int64_t count) {
    const Tensor counts = at::full({means.size(0)}, count, means.options());
    return gather(input, means, scales, running_mean, running_variance, momentum, epsilon, counts);
}

// The sums of the gradient and of the gradient times the distance from the mean, and the gradients of weight and bias.
std::tuple<Tensor, Tensor, Tensor, Tensor> reduce_backward(const Tensor& gradient, const Tensor& input,
                                                           const Tensor& mean, const Tensor& scale,
                                                           const MaybeTensor& weight, bool wants_sums,
                                                           bool wants_weight, bool wants_bias) {
    const std::vector<std::int64_t> dimensions = all_but_channels(input);
    const Tensor given_gradient = wide(gradient);
    const Tensor sum = given_gradient.sum(dimensions);
    const Tensor sum_of_products = (given_gradient * (wide(input) - along_channels(mean, input))).sum(dimensions);
    const c10::ScalarType type = given(weight) ? weight->scalar_type() : sum.scalar_type();
    return {wants_sums ? sum : Tensor(), wants_sums ? sum_of_products : Tensor(),
            wants_weight ? (sum_of_products * scale).to(type) : Tensor(),
            wants_bias ? sum.to(type, false, true) : Tensor()};
}

Tensor element_backward(const Tensor& gradient, const Tensor& input, const Tensor& mean, const Tensor& scale,
                        const MaybeTensor& weight, const Tensor& sum, const Tensor& sum_of_products,
                        const Tensor& count) {
    const Tensor total = count.sum().to(sum.scalar_type());
    const Tensor slope = given(weight) ? scale * wide(*weight) : scale;
    const Tensor from_mean = wide(input) - along_channels(mean, input);
    const Tensor along_input = from_mean * along_channels(scale.square() * sum_of_products / total, input);
    return ((wide(gradient) - along_channels(sum / total, input) - along_input) * along_channels(slope, input))
        .to(input.scalar_type());
}

}  // namespace

void add_synchronized_batch_norms(Kernels& kernels) {
    kernels.add("batch_norm_stats", statistics);
    kernels.add("batch_norm_elemt", element);
    kernels.add("batch_norm_elemt.out", element_out);
    kernels.add("batch_norm_gather_stats", gather_equal);
    kernels.add("batch_norm_gather_stats_with_counts", gather);
    kernels.add("batch_norm_backward_reduce", reduce_backward);
    kernels.add("batch_norm_backward_elemt", element_backward);
}

}  // namespace sim::slot
