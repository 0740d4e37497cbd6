#include "tools/torch/slot/hollow/shapes.hpp"

#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/storage.hpp"

#include <c10/core/CPUAllocator.h>

#include <cstring>
#include <utility>

namespace sim::slot {

namespace {

c10::Storage untouched_of_host(std::size_t bytes) {
    c10::Allocator* const allocator = c10::GetCPUAllocator();
    return {c10::Storage::use_byte_size_t(), bytes, allocator->allocate(bytes), allocator, true};
}

// Memory that nobody touches if it is large; programs do read small tensors.
c10::Storage untouched(std::size_t bytes, c10::Device device) {
    c10::Storage made = device.is_cuda() ? new_storage(bytes, device.index()) : untouched_of_host(bytes);
    if (!is_large(bytes) && bytes > 0) {
        const c10::Storage numbers = device.is_cuda() ? numbers_of(*made.unsafeGetStorageImpl()) : made;
        std::memset(const_cast<void*>(numbers.data()), 0, bytes);
    }
    return made;
}

}  // namespace

void Memories::know(const c10::Storage& shape, const c10::Storage& memory) {
    all_.push_back({shape.unsafeGetStorageImpl(), memory});
}

c10::Storage Memories::of(const at::Tensor& shape, c10::Device device) {
    const c10::StorageImpl* const storage = shape.storage().unsafeGetStorageImpl();
    for (const Pair& pair : all_) {
        if (pair.shape == storage) {
            return pair.memory;
        }
    }
    all_.push_back({storage, untouched(storage->nbytes(), device)});
    return all_.back().memory;
}

}  // namespace sim::slot
