#include "tools/torch/slot/cpu_build/module.hpp"

#include "tools/torch/slot/cpu_build/allocator_settings.hpp"
#include "tools/torch/slot/cpu_build/caching_allocator.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace sim::slot {

namespace {

std::string text_of(std::int64_t bytes) {
    constexpr std::int64_t kib = 1024;
    const auto text = [bytes](std::int64_t unit, const char* name) {
        char line[64];
        std::snprintf(line, sizeof line, "%.2f %s", static_cast<double>(bytes) / static_cast<double>(unit), name);
        return std::string(line);
    };
    return bytes > kib * kib * kib ? text(kib * kib * kib, "GiB")
           : bytes > kib * kib     ? text(kib * kib, "MiB")
           : bytes > kib           ? text(kib, "KiB")
                                   : std::to_string(bytes) + " bytes";
}

c10::CachingAllocator::Stat stat_of(const Counter& counter) {
    c10::CachingAllocator::Stat stat;
    stat.current = counter.current;
    stat.peak = counter.peak;
    stat.allocated = counter.allocated;
    stat.freed = counter.freed;
    return stat;
}

// The caching allocators of all devices, behind PyTorch's interface.
class DeviceMemory final : public c10::DeviceAllocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override { return allocate_on(bytes, current_device()); }
    c10::DataPtr allocate_on(std::size_t bytes, c10::DeviceIndex device) {
        const c10::Device where(c10::kCUDA, device);
        if (bytes == 0) {
            return {nullptr, where};
        }
        Block* const block = block_of(bytes, device);
        gpu().hold(block->device, block->size);
        return {block->address, block, &release, where};
    }
    void record(const c10::DataPtr& memory, const c10::Stream& stream) {
        if (memory.get_deleter() == &release && memory.get() != nullptr) {
            const std::lock_guard lock(mutex_);
            of(memory.device().index()).record(static_cast<Block*>(memory.get_context()), stream.id());
        }
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
    bool initialized() override { return true; }
    void emptyCache(c10::MempoolId_t /*pool*/) override {
        const std::lock_guard lock(mutex_);
        for (auto& [device, allocator] : allocators_) {
            allocator.empty_cache();
        }
    }
    void recordStream(const c10::DataPtr& memory, c10::Stream stream) override { record(memory, stream); }
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        CachingAllocator& allocator = of(device);
        c10::CachingDeviceAllocator::DeviceStats stats;
        const std::array<Counters*, 3> kinds{&allocator.all(), &allocator.of(PoolKind::small),
                                             &allocator.of(PoolKind::large)};
        const std::array rows{
            &stats.allocation,      &stats.segment,        &stats.active,       &stats.inactive_split,
            &stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.inactive_split_bytes,
            &stats.requested_bytes};
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            const auto counters = kinds[kind]->all();
            for (std::size_t row = 0; row < rows.size(); ++row) {
                (*rows[row])[kind] = stat_of(*counters[row]);
            }
        }
        const Events& events = allocator.events();
        stats.oversize_allocations = stat_of(events.oversize_allocations);
        stats.oversize_segments = stat_of(events.oversize_segments);
        stats.num_alloc_retries = events.retries;
        stats.num_ooms = events.failures;
        stats.num_sync_all_streams = events.waits_for_streams;
        stats.num_device_alloc = events.device_allocations;
        stats.num_device_free = events.device_frees;
        stats.max_split_size = allocator.oversize();
        return stats;
    }
    void resetAccumulatedStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        of(device).reset_accumulated();
    }
    void resetPeakStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        of(device).reset_peaks();
    }
    std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override {
        return {static_cast<std::size_t>(gpu().free_bytes(seam_device(device))),
                static_cast<std::size_t>(gpu().properties(seam_device(device))->memory_bytes)};
    }

    void begin_pool(c10::DeviceIndex device, PoolId pool, std::function<bool(seam::Stream)> is_its_stream) {
        const std::lock_guard lock(mutex_);
        of(device).begin_pool(pool, std::move(is_its_stream));
    }
    void end_pool(c10::DeviceIndex device, PoolId pool) {
        const std::lock_guard lock(mutex_);
        of(device).end_pool(pool);
    }
    void release_pool(c10::DeviceIndex device, PoolId pool) {
        const std::lock_guard lock(mutex_);
        of(device).release_pool(pool);
    }

    void change_settings(const std::string& text) {
        const std::lock_guard lock(mutex_);
        change_allocator_settings(text);
    }
    void limit(c10::DeviceIndex device, double fraction) {
        const std::lock_guard lock(mutex_);
        of(device).limit_to(fraction);
    }
    double fraction(c10::DeviceIndex device) {
        const std::lock_guard lock(mutex_);
        return of(device).fraction();
    }

private:
    static void release(void* block);

    Block* block_of(std::size_t bytes, c10::DeviceIndex device) {
        const std::lock_guard lock(mutex_);
        Block* const block = of(device).allocate(static_cast<std::int64_t>(bytes), current_stream(device).id());
        if (block == nullptr) {
            fail(bytes, device);
        }
        return block;
    }
    CachingAllocator& of(c10::DeviceIndex device) {
        read_allocator_settings();
        const std::int32_t number = seam_device(device);
        return allocators_.try_emplace(number, gpu(), number).first->second;
    }
    [[noreturn]] void fail(std::size_t bytes, c10::DeviceIndex device) {
        const std::int64_t wanted = segment_for(allocator_settings().rounded(static_cast<std::int64_t>(bytes)));
        const std::optional<std::int64_t> limit = of(device).limit();
        const std::int64_t capacity = gpu().properties(seam_device(device))->memory_bytes;
        const std::int64_t allocated = of(device).all().allocated_bytes.current;
        const std::int64_t reserved = of(device).all().reserved_bytes.current;
        TORCH_CHECK_WITH(
            OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", text_of(wanted), ". GPU ",
            static_cast<int>(device), " has a total capacity of ", text_of(capacity), " of which ",
            text_of(gpu().free_bytes(seam_device(device))), " is free. Including non-PyTorch memory, this process has ",
            text_of(reserved), " memory in use. ", limit ? text_of(*limit) + " allowed; " : "",
            "Of the allocated memory ", text_of(allocated), " is allocated by PyTorch, and ",
            text_of(reserved - allocated), " is reserved by PyTorch but unallocated.",
            allocator_settings().expands
                ? ""
                : " If reserved but unallocated memory is large try setting "
                  "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for "
                  "Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html"
                  "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)");
        std::abort();
    }

    std::mutex mutex_;
    std::map<std::int32_t, CachingAllocator> allocators_;  // by the seam's device number, as in blocks
};

// Never destroyed, because PyTorch frees memory until the process ends.
DeviceMemory& memory() {
    static auto* const all = new DeviceMemory;
    return *all;
}

void DeviceMemory::release(void* block) {
    auto* const freed = static_cast<Block*>(block);
    gpu().hold(freed->device, -freed->size);
    const std::lock_guard lock(memory().mutex_);
    memory().allocators_.at(freed->device).free(freed);
}

}  // namespace

c10::DataPtr block_of(std::size_t bytes, c10::DeviceIndex device) {
    return memory().allocate_on(bytes, device);
}

void record_stream(const c10::DataPtr& block, const c10::Stream& stream) {
    memory().record(block, stream);
}

c10::Allocator* device_allocator() {
    return &memory();
}

PoolId new_pool(bool is_users) {
    static std::atomic<unsigned long long> of_users{0};
    static std::atomic<unsigned long long> of_graphs{0};
    return is_users ? PoolId{0, ++of_users} : PoolId{++of_graphs, 0};
}

void begin_pool(c10::DeviceIndex device, PoolId pool, std::function<bool(seam::Stream)> is_its_stream) {
    memory().begin_pool(device, pool, std::move(is_its_stream));
}

void end_pool(c10::DeviceIndex device, PoolId pool) {
    memory().end_pool(device, pool);
}

void release_pool(c10::DeviceIndex device, PoolId pool) {
    memory().release_pool(device, pool);
}

void change_memory_settings(const std::string& text) {
    memory().change_settings(text);
}

void limit_memory(c10::DeviceIndex device, double fraction) {
    memory().limit(device, fraction);
}

double memory_fraction(c10::DeviceIndex device) {
    return memory().fraction(device);
}

}  // namespace sim::slot

namespace {

const bool is_allocator_known = [] {
    c10::SetAllocator(c10::kCUDA, sim::slot::device_allocator());
    return true;
}();

}  // namespace
