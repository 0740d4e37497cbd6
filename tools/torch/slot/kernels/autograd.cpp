#include "tools/torch/slot/kernels/autograd.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace sim::slot {

at::Tensor leaf_of(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.detach().requires_grad_(true) : tensor;
}

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& gradients,
                                     const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> from;
    std::vector<at::Tensor> given;
    std::vector<at::Tensor> by;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (gradients[i].defined() && outputs[i].requires_grad()) {
            from.push_back(outputs[i]);
            given.push_back(gradients[i]);
        }
    }
    for (const at::Tensor& input : inputs) {
        if (input.defined()) {
            by.push_back(input);
        }
    }
    const auto found = torch::autograd::grad(from, by, given, std::nullopt, false, true);
    std::vector<at::Tensor> all;
    auto next = found.begin();
    for (const at::Tensor& input : inputs) {
        if (!input.defined()) {
            all.emplace_back();
            continue;
        }
        all.push_back(next->defined() ? *next : at::zeros_like(input));
        ++next;
    }
    return all;
}

}  // namespace sim::slot
