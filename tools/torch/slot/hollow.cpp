#include "tools/torch/slot/hollow.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <limits>
#include <mutex>
#include <unordered_map>

namespace sim::slot {

namespace {

// Host storages whose values came from hollow ones, as long as they live.
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
    void remove(const c10::Storage& storage) {
        const std::lock_guard lock(mutex_);
        all_.erase(storage.unsafeGetStorageImpl());
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

constexpr std::size_t most_bytes_computed = std::size_t{1} << 26U;

bool has_memory(const at::Tensor& tensor) {
    return tensor.defined() && tensor.layout() == c10::kStrided && tensor.has_storage();
}

Values values_of(const at::Tensor& tensor) {
    if (!is_hollow_run() || !has_memory(tensor)) {
        return Values::known;
    }
    const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    if (tensor.device().is_cpu()) {
        if (!of_host().has(storage)) {
            return Values::known;
        }
        return is_large(storage->nbytes()) ? Values::none : Values::made_up;
    }
    Owned* const owned = owned_by(*storage);
    if (owned == nullptr) {
        return Values::known;
    }
    complete(*owned);  // received data may be hollow
    return owned->values;
}

void mark(const at::Tensor& tensor, Values values) {
    if (!has_memory(tensor)) {
        return;
    }
    if (tensor.device().is_cpu()) {
        if (values == Values::known) {
            of_host().remove(tensor.storage());
        } else {
            of_host().add(tensor.storage());
        }
    } else if (Owned* const owned = owned_by(*tensor.storage().unsafeGetStorageImpl())) {
        owned->values = values;
    }
}

}  // namespace

bool is_hollow_run() {
    return has_gpu() && gpu().is_hollow;
}

bool is_large(const at::Tensor& tensor) {
    return is_large(static_cast<std::size_t>(tensor.numel()) * tensor.element_size());
}

bool is_countable(const at::Tensor& tensor) {
    return at::isIntegralType(tensor.scalar_type(), true) &&
           static_cast<std::size_t>(tensor.numel()) * tensor.element_size() <= most_bytes_computed;
}

void wait_for_numbers(const at::Tensor& tensor) {
    if (tensor.is_cuda() && has_memory(tensor)) {
        if (const Owned* const owned = owned_by(*tensor.storage().unsafeGetStorageImpl())) {
            complete(*owned);
        }
    }
}

bool is_hollow(const at::Tensor& tensor) {
    return values_of(tensor) != Values::known;
}

bool lacks_numbers(const at::Tensor& tensor) {
    return is_large(tensor) && (!is_countable(tensor) || values_of(tensor) == Values::none);
}

void mark_zeros(const at::Tensor& tensor) {
    if (has_memory(tensor) && tensor.is_cuda() && tensor.nbytes() == tensor.storage().nbytes() &&
        tensor.nbytes() <= most_bytes_computed) {
        mark(tensor, Values::zeros);
    }
}

bool is_zeros(const at::Tensor& tensor) {
    return values_of(tensor) == Values::zeros;
}

void fill_in_zeros(const at::Tensor& tensor) {
    on_cpu(tensor).zero_();
}

void mark_skipped(const at::Tensor& tensor) {
    mark(tensor, has_memory(tensor) && is_large(tensor.storage().nbytes()) ? Values::none : Values::made_up);
}

void mark_made_up(const at::Tensor& tensor) {
    if (values_of(tensor) == Values::known) {
        mark(tensor, Values::made_up);
    }
}

void mark_known(const at::Tensor& tensor) {
    if (has_memory(tensor) && tensor.nbytes() == tensor.storage().nbytes()) {
        mark(tensor, Values::known);
    }
}

void copy_hollow(const at::Tensor& to, const at::Tensor& from) {
    TORCH_CHECK(at::is_expandable_to(from.sizes(), to.sizes()), "The size of tensor a (", to.sizes(),
                ") must match the size of tensor b (", from.sizes(), ")");
    const bool is_skipped = is_large(to) && (!is_countable(to) || (lacks_numbers(from) && !is_zeros(from)));
    if (is_skipped) {
        mark_skipped(to);
        return;
    }
    if (is_zeros(from)) {
        fill_in_zeros(from);
    }
    on_cpu(to).copy_(on_cpu(from));
    if (!is_hollow(from) || is_zeros(from)) {
        mark_known(to);
        return;
    }
    mark_made_up(to);
    if (to.device().is_cpu() && to.is_floating_point()) {
        at::Tensor(to).fill_(std::numeric_limits<double>::quiet_NaN());
    }
}

}  // namespace sim::slot
