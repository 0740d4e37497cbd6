#include "tools/torch/slot/hollow/hollow.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/process_group/pending.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <limits>
#include <mutex>
#include <unordered_map>

namespace sim::slot {

namespace {

// Storages of the host with numbers that came from hollow ones, for as long as they live.
class OfHost {
public:
    void add(const c10::Storage& storage) {
        const std::lock_guard lock(mutex_);
        if (all_.size() >= most_) {
            std::erase_if(all_, [](const auto& each) { return each.second.expired(); });
            most_ = 2 * all_.size() + fewest;
        }
        all_.insert_or_assign(storage.unsafeGetStorageImpl(), storage.getWeakStorageImpl());
    }
    bool has(const c10::StorageImpl* storage) {
        const std::lock_guard lock(mutex_);
        const auto at = all_.find(storage);
        return at != all_.end() && !at->second.expired();
    }

private:
    static constexpr std::size_t fewest = 1024;
    std::mutex mutex_;
    std::unordered_map<const c10::StorageImpl*, c10::weak_intrusive_ptr<c10::StorageImpl>> all_;
    std::size_t most_ = fewest;
};

OfHost& of_host() {
    static OfHost all;
    return all;
}

bool has_memory(const at::Tensor& tensor) {
    return tensor.defined() && tensor.layout() == c10::kStrided && tensor.has_storage();
}

}  // namespace

bool is_hollow_run() {
    return has_gpu() && gpu().is_hollow;
}

bool is_large(const at::Tensor& tensor) {
    return is_large(static_cast<std::size_t>(tensor.numel()) * tensor.element_size());
}

bool is_hollow(const at::Tensor& tensor) {
    if (!is_hollow_run() || !has_memory(tensor)) {
        return false;
    }
    const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    if (tensor.device().is_cpu()) {
        return of_host().has(storage);
    }
    Owned* const owned = owned_by(*storage);
    if (owned != nullptr && owned->pending != nullptr) {
        owned->pending->complete();  // what comes may be hollow
    }
    return owned != nullptr && owned->is_hollow;
}

void mark_hollow(const at::Tensor& tensor) {
    if (!has_memory(tensor)) {
        return;
    }
    if (tensor.device().is_cpu()) {
        of_host().add(tensor.storage());
    } else if (Owned* const owned = owned_by(*tensor.storage().unsafeGetStorageImpl())) {
        owned->is_hollow = true;
    }
}

void copy_hollow(const at::Tensor& to, const at::Tensor& from) {
    TORCH_CHECK(at::is_expandable_to(from.sizes(), to.sizes()), "The size of tensor a (", to.sizes(),
                ") must match the size of tensor b (", from.sizes(), ")");
    const bool is_skipped = is_large(to);
    if (!is_skipped) {
        on_cpu(to).copy_(on_cpu(from));
    }
    if (!is_hollow(from) && !is_skipped) {
        return;
    }
    mark_hollow(to);
    if (to.device().is_cpu() && to.is_floating_point() && !is_skipped) {
        at::Tensor(to).fill_(std::numeric_limits<double>::quiet_NaN());
    }
}

}  // namespace sim::slot
