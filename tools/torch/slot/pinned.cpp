#include "tools/torch/slot/device.hpp"

#include "tools/torch/slot/versions.hpp"

#if SIM_SLOT_TORCH >= 208
#include <ATen/core/CachingHostAllocator.h>
#endif
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <cstring>
#include <map>
#include <mutex>

namespace sim::slot {

namespace {

// Since 2.8 PyTorch's interface of host allocators has more functions. This allocator caches nothing.
#if SIM_SLOT_TORCH >= 208
class HostMemory : public at::HostAllocator {
public:
    bool record_event(void* /*address*/, void* /*context*/, c10::Stream /*stream*/) override { return true; }
    void empty_cache() override {}
    at::HostStats get_stats() override { return {}; }
    void reset_accumulated_stats() override {}
    void reset_peak_stats() override {}
};
#else
using HostMemory = c10::Allocator;
#endif

class PinnedAllocator final : public HostMemory {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        void* const address = c10::alloc_cpu(bytes);
        if (address != nullptr) {
            const std::lock_guard lock(mutex_);
            ranges_[static_cast<const char*>(address)] = bytes;
        }
        return {address, address, &release, c10::Device(c10::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

    bool holds(const void* address) {
        const auto* const at = static_cast<const char*>(address);
        const std::lock_guard lock(mutex_);
        auto range = ranges_.upper_bound(at);
        return range != ranges_.begin() && at < (--range)->first + range->second;
    }

private:
    static void release(void* address);

    std::mutex mutex_;
    std::map<const char*, std::size_t> ranges_;
};

// Never destroyed, because PyTorch frees memory until the process ends.
PinnedAllocator& the_allocator() {
    static auto* const allocator = new PinnedAllocator;
    return *allocator;
}

void PinnedAllocator::release(void* address) {
    {
        const std::lock_guard lock(the_allocator().mutex_);
        the_allocator().ranges_.erase(static_cast<const char*>(address));
    }
    c10::free_cpu(address);
}

#if SIM_SLOT_TORCH >= 208
const bool is_host_allocator_known = [] {
    at::setHostAllocator(c10::kCUDA, &the_allocator());
    return true;
}();
#endif

}  // namespace

c10::Allocator* pinned_allocator() {
    return &the_allocator();
}

bool is_pinned(const void* address) {
    return the_allocator().holds(address) || is_pinned_by_program(address);
}

}  // namespace sim::slot
