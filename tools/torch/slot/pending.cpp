#include "tools/torch/slot/pending.hpp"

#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/storage.hpp"

#include <utility>

namespace sim::slot {

Pending::~Pending() {
    if (finish_ && ticket_ > 0) {
        gpu().forget_ticket(ticket_);
    }
}

void Pending::goes_to(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
        if (Owned* const owned = tensor.defined() ? owned_by(*tensor.storage().unsafeGetStorageImpl()) : nullptr) {
            if (owned->pending != nullptr && owned->pending.get() != this) {
                std::exchange(owned->pending, nullptr)->complete();
            }
            owned->pending = shared_from_this();
            targets_.push_back(tensor);
        }
    }
}

void Pending::complete() {
    const Finish finish = std::exchange(finish_, nullptr);
    if (!finish) {
        return;
    }
    const std::shared_ptr<Pending> alive = shared_from_this();
    for (const at::Tensor& tensor : std::exchange(targets_, {})) {
        Owned* const owned = owned_by(*tensor.storage().unsafeGetStorageImpl());
        if (owned != nullptr && owned->pending.get() == this) {
            owned->pending = nullptr;
        }
    }
    const seam::Bytes* parts = nullptr;
    const std::int32_t count = ticket_ > 0 ? gpu().take(ticket_, &parts) : 0;
    require(count >= 0);
    const BelowAutograd below;
    finish({parts, static_cast<std::size_t>(count)});
}

}  // namespace sim::slot
