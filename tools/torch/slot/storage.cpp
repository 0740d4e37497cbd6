#include "tools/torch/slot/storage.hpp"

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/pending.hpp"
#include "tools/torch/slot/tape.hpp"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

namespace sim::slot {

namespace {

std::atomic<std::uint64_t> last_id{0};

void release_owned(void* owned) {
    delete static_cast<Owned*>(owned);
}

// A storage without data, because nobody has requested any.
c10::DataPtr held(c10::Storage numbers, c10::DataPtr block, c10::DeviceIndex device) {
    void* const data = numbers ? numbers.mutable_data() : block.get();
    auto* const owned = new Owned(std::move(numbers), std::move(block), ++last_id);
    return {data, owned, &release_owned, c10::Device(c10::kCUDA, device)};
}

// Data that nobody touches uses the addresses of the GPU's block, which cost nothing.
c10::Storage numbers_on(const c10::DataPtr& block, std::size_t bytes) {
    return {c10::Storage::use_byte_size_t(), bytes, c10::DataPtr(block.get(), c10::Device(c10::kCPU)), nullptr, false};
}

bool is_untouched(std::size_t bytes) {
    return is_hollow_run() && is_large(bytes);
}

c10::Storage new_numbers(std::size_t bytes) {
    c10::Allocator* const allocator = c10::GetCPUAllocator();
    return {c10::Storage::use_byte_size_t(), bytes, allocator->allocate(bytes), allocator, true};
}

void become(c10::StorageImpl& storage, c10::Storage numbers, c10::DataPtr block) {
    const Owned* const before = owned_by(storage);
    const Values values = before != nullptr ? before->values : Values::known;
    const std::size_t bytes = numbers.nbytes();
    storage.set_data_ptr_noswap(held(std::move(numbers), std::move(block), storage.device().index()));
    storage.set_nbytes(bytes);
    owned_by(storage)->values = values;
}

}  // namespace

at::Tensor Owned::take_alias() {
    c10::TensorImpl* const taken = last_alias.exchange(nullptr);
    return taken == nullptr ? at::Tensor() : at::Tensor(c10::intrusive_ptr<c10::TensorImpl>::reclaim(taken));
}

void Owned::leave_alias(at::Tensor alias) {
    const at::Tensor before = take_alias();
    c10::TensorImpl* none = nullptr;
    if (last_alias.compare_exchange_strong(none, alias.unsafeGetTensorImpl())) {
        alias.unsafeReleaseTensorImpl();
    }
}

Owned* owned_by(const c10::StorageImpl& storage) {
    return storage.data_ptr().get_deleter() == &release_owned ? static_cast<Owned*>(storage.data_ptr().get_context())
                                                              : nullptr;
}

std::uint64_t id_of(const c10::StorageImpl& storage) {
    const Owned* const owned = owned_by(storage);
    // An address is larger than any id that is counted up.
    return owned != nullptr ? owned->id : reinterpret_cast<std::uint64_t>(&storage);
}

void complete(const Owned& owned) {
    if (owned.pending != nullptr) [[unlikely]] {
        owned.pending->complete();
    }
}

std::uint64_t newest_storage() {
    return last_id;
}

c10::Storage new_storage(std::size_t bytes, c10::DeviceIndex device) {
    // The GPU's memory comes first: if it is full, the script gets that error, however much memory the host has.
    c10::DataPtr block = block_of(bytes, device);
    const bool untouched = is_untouched(bytes);
    c10::Storage numbers = untouched ? c10::Storage() : new_numbers(bytes);
    c10::DataPtr data = held(std::move(numbers), std::move(block), device);
    static_cast<Owned*>(data.get_context())->values = untouched ? Values::none : Values::known;
    return {c10::Storage::use_byte_size_t(), bytes, std::move(data), device_allocator(), true};
}

c10::Storage adopt(c10::Storage numbers, c10::DeviceIndex device) {
    const std::size_t bytes = numbers.nbytes();
    c10::DataPtr data = held(std::move(numbers), block_of(bytes, device), device);
    return {c10::Storage::use_byte_size_t(), bytes, std::move(data), device_allocator(), true};
}

void resize(c10::StorageImpl& storage, std::size_t bytes) {
    c10::DataPtr block = block_of(bytes, storage.device().index());
    c10::Storage numbers = is_untouched(bytes) ? numbers_on(block, bytes) : new_numbers(bytes);
    const std::size_t kept = std::min(bytes, storage.nbytes());
    if (is_untouched(bytes)) {
        if (Owned* const owned = owned_by(storage)) {
            owned->values = Values::none;
        }
    }
    if (kept > 0 && !is_untouched(kept)) {
        std::memcpy(numbers.mutable_data(), storage.data(), kept);
        if (Tape* const tape = Tape::of(storage.device().index())) {
            tape->add([from = numbers_of(storage), to = numbers, kept]() mutable {
                std::memcpy(to.mutable_data(), from.data(), kept);
            });
        }
    }
    become(storage, std::move(numbers), std::move(block));
}

void take_over(c10::StorageImpl& storage, const c10::Storage& numbers) {
    become(storage, numbers, block_of(numbers.nbytes(), storage.device().index()));
}

c10::Storage numbers_of(const c10::StorageImpl& storage) {
    if (Owned* const owned = owned_by(storage)) {
        complete(*owned);
        if (is_untouched(storage.nbytes())) {
            // Several threads may arrive here at once.
            static std::mutex mutex;
            const std::lock_guard lock(mutex);
            if (!owned->numbers) {
                owned->numbers = numbers_on(owned->block, storage.nbytes());
            }
            return owned->numbers;
        }
        return owned->numbers;
    }
    c10::DataPtr data(const_cast<void*>(storage.data()), c10::Device(c10::kCPU));
    return {c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(data), nullptr, false};
}

}  // namespace sim::slot
