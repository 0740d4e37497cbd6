#include "tools/torch/table/memory.hpp"

#include <sys/mman.h>

namespace sim::torch {

void Memory::have(int devices, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
    used_.assign(static_cast<std::size_t>(devices), 0);
}

void* Memory::reserve(int device, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    std::int64_t& used = used_.at(static_cast<std::size_t>(device));
    if (used + bytes > bytes_) {
        return nullptr;
    }
    void* const address = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
        return nullptr;
    }
    used += bytes;
    ranges_[address] = {bytes, device};
    return address;
}

void Memory::give_back(void* address) {
    const std::lock_guard lock(mutex_);
    const auto at = ranges_.find(address);
    if (at != ranges_.end()) {
        munmap(address, static_cast<std::size_t>(at->second.bytes));
        used_.at(static_cast<std::size_t>(at->second.device)) -= at->second.bytes;
        ranges_.erase(at);
    }
}

std::int64_t Memory::free_bytes(int device) {
    const std::lock_guard lock(mutex_);
    return bytes_ - used_.at(static_cast<std::size_t>(device));
}

}  // namespace sim::torch
