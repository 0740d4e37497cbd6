// Autograd within a kernel, which runs below autograd: for a backward pass that is the derivative of the CPU's forward.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <vector>

namespace sim::slot {

class WithAutograd {
public:
    WithAutograd()
        : keys_(
              c10::impl::tls_local_dispatch_key_set().included_,
              c10::impl::tls_local_dispatch_key_set().excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView) {}

private:
    c10::impl::ForceDispatchKeyGuard keys_;
    at::AutoGradMode mode_{true};
};

// A leaf tensor on the same data that requires a gradient. Undefined stays undefined.
at::Tensor leaf_of(const at::Tensor& tensor);

// The gradients of `outputs` with respect to `inputs`: zeros for an unused input, undefined for an undefined one.
// Outputs with an undefined gradient do not count.
std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& gradients,
                                     const std::vector<at::Tensor>& inputs);

}  // namespace sim::slot
