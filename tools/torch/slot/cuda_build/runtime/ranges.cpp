#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace sim::slot {

namespace {

// One ordered map is enough, because PyTorch's allocators reserve few and large ranges.
std::shared_mutex range_guard;
std::map<const char*, Range>& ranges() {
    static auto* all =
        new std::map<const char*, Range>;  // never destroyed: memory is freed while the process ends, too
    return *all;
}

}  // namespace

std::optional<Range> range_of(const void* address) {
    const auto* at = static_cast<const char*>(address);
    const std::shared_lock lock(range_guard);
    auto next = ranges().upper_bound(at);
    if (next == ranges().begin()) {
        return std::nullopt;
    }
    const Range& range = std::prev(next)->second;
    return at < range.begin + range.bytes ? std::optional(range) : std::nullopt;
}

void remember(const Range& range) {
    const std::unique_lock lock(range_guard);
    ranges().insert_or_assign(range.begin, range);
}

std::optional<Range> forget(const void* begin) {
    const std::unique_lock lock(range_guard);
    const auto at = ranges().find(static_cast<const char*>(begin));
    if (at == ranges().end()) {
        return std::nullopt;
    }
    const Range range = at->second;
    ranges().erase(at);
    return range;
}

void* reserve(int device, std::size_t bytes) {
    void* address = gpu().reserve(seam_device(device), static_cast<std::int64_t>(bytes));
    if (address == nullptr) {
        return nullptr;
    }
    remember({static_cast<char*>(address), bytes, cudaMemoryTypeDevice, device});
    return address;
}

cudaError_t give_back(void* address) {
    if (address == nullptr) {
        return cudaSuccess;
    }
    const std::optional<Range> range = forget(address);
    if (!range) {
        return failed(cudaErrorInvalidValue);
    }
    gpu().give_back(address);
    return cudaSuccess;
}

}  // namespace sim::slot
