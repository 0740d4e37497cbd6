// Kernels run below autograd, as PyTorch's own do: their calls are not recorded for a backward pass. They also run
// below hollow runs: a call that is computed at all is computed completely.
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace sim::slot {

// The dispatch key that PyTorch reserves for fake tensors, which nothing else uses: below autograd and Python dispatch,
// above every device. Hollow runs intercept the host's operators there.
constexpr c10::DispatchKey above_devices = c10::DispatchKey::Fake;

class BelowAutograd {
    c10::impl::ExcludeDispatchKeyGuard guard_{c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                              c10::DispatchKeySet(above_devices)};
};

}  // namespace sim::slot
