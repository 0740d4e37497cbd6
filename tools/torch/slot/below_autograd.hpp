// Kernels run below autograd, as PyTorch's own do: what they call is recorded for no backward pass. They run below
// hollow runs, too: what is computed at all is computed to its end.
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace sim::slot {

// The key that PyTorch keeps for tensors without numbers, which nothing else uses: below autograd and what Python
// dispatches, and above every device. Operators of the host meet hollow runs there.
constexpr c10::DispatchKey above_devices = c10::DispatchKey::Fake;

class BelowAutograd {
    c10::impl::ExcludeDispatchKeyGuard guard_{c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                              c10::DispatchKeySet(above_devices)};
};

}  // namespace sim::slot
