#include "tools/torch/table/memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace sim::torch {

namespace {

// Freed ranges leave holes that larger pieces do not fit into, so a device gets this many times its memory in
// addresses. Addresses alone cost nothing.
constexpr std::int64_t stretches_of_memory = 8;

constexpr std::int64_t page = 4096;

constexpr int unused_pages = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

Memory::~Memory() {
    clear();
}

void Memory::clear() {
    for (const Device& device : devices_) {
        if (device.begin != nullptr) {
            munmap(device.begin, static_cast<std::size_t>(stretch()));
        }
    }
    devices_.clear();
}

std::int64_t Memory::stretch() const {
    return stretches_of_memory * bytes_;
}

void Memory::have(int devices, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    clear();
    bytes_ = bytes;
    devices_.resize(static_cast<std::size_t>(devices));
}

bool Memory::has_addresses(Device& device) const {
    if (device.begin == nullptr) {
        void* const begin = mmap(nullptr, static_cast<std::size_t>(stretch()), PROT_NONE, unused_pages, -1, 0);
        device.begin = begin == MAP_FAILED ? nullptr : static_cast<char*>(begin);
        device.full_to = device.begin;
    }
    return device.begin != nullptr;
}

char* Memory::lowest_room(Device& device, std::int64_t bytes) const {
    char* at = device.full_to;
    bool is_full = true;
    for (auto next = device.ranges.lower_bound(at); next != device.ranges.end() && next->first - at < bytes; ++next) {
        is_full = is_full && next->first == at;
        at = next->first + next->second;
        device.full_to = is_full ? at : device.full_to;
    }
    return device.begin + stretch() - at >= bytes ? at : nullptr;
}

void* Memory::reserve(int device, std::int64_t wanted) {
    const std::int64_t bytes = (wanted + page - 1) / page * page;
    const std::lock_guard lock(mutex_);
    Device& its = devices_.at(static_cast<std::size_t>(device));
    if (its.used + bytes > bytes_ || !has_addresses(its)) {
        return nullptr;
    }
    char* const address = lowest_room(its, bytes);
    if (address == nullptr || mprotect(address, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) != 0) {
        return nullptr;
    }
    its.used += bytes;
    its.ranges[address] = bytes;
    return address;
}

void Memory::give_back(void* address) {
    const std::lock_guard lock(mutex_);
    for (Device& device : devices_) {
        const auto at = device.ranges.find(static_cast<char*>(address));
        if (at != device.ranges.end()) {
            // Maps the range afresh, which discards anything written to it.
            mmap(address, static_cast<std::size_t>(at->second), PROT_NONE, unused_pages | MAP_FIXED, -1, 0);
            device.used -= at->second;
            device.full_to = std::min(device.full_to, at->first);
            device.ranges.erase(at);
            return;
        }
    }
}

std::int64_t Memory::free_bytes(int device) {
    const std::lock_guard lock(mutex_);
    return bytes_ - devices_.at(static_cast<std::size_t>(device)).used;
}

}  // namespace sim::torch
