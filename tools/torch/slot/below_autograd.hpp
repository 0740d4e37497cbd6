// Kernels run below autograd, as PyTorch's own do: what they call is recorded for no backward pass.
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace sim::slot {

class BelowAutograd {
    c10::impl::ExcludeDispatchKeyGuard guard_{c10::autograd_dispatch_keyset_with_ADInplaceOrView};
};

}  // namespace sim::slot
