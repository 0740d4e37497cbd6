// cuDNN's connectionist temporal classification (CTC) loss.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;

// cuDNN returns the gradient with the loss; the backward pass scales it.
std::tuple<Tensor, Tensor> loss(const Tensor& log_probabilities, const Tensor& targets, at::IntArrayRef input_lengths,
                                at::IntArrayRef target_lengths, std::int64_t blank, bool /*deterministic*/,
                                bool zero_infinity) {
    const auto [losses, alpha] =
        at::_ctc_loss(log_probabilities, targets, input_lengths, target_lengths, blank, zero_infinity);
    const Tensor gradient = at::_ctc_loss_backward(at::ones_like(losses), log_probabilities, targets, input_lengths,
                                                   target_lengths, losses, alpha, blank, zero_infinity);
    return {losses, gradient};
}

std::tuple<Tensor, Tensor> loss_of_tensors(const Tensor& log_probabilities, const Tensor& targets,
                                           const Tensor& input_lengths, const Tensor& target_lengths,
                                           std::int64_t blank, bool deterministic, bool zero_infinity) {
    const Tensor inputs = input_lengths.to(at::kLong).contiguous();
    const Tensor wanted = target_lengths.to(at::kLong).contiguous();
    return loss(log_probabilities, targets,
                {inputs.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(inputs.numel())},
                {wanted.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(wanted.numel())}, blank, deterministic,
                zero_infinity);
}

}  // namespace

void add_ctc_losses(Kernels& kernels) {
    kernels.add("_cudnn_ctc_loss", loss, Takes::numbers_alone);
    kernels.add("_cudnn_ctc_loss.Tensor", loss_of_tensors, Takes::numbers_alone);
}

}  // namespace sim::slot
