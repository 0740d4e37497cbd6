// Devices, streams, events and memory of a build of PyTorch for the CPU, whose slot for CUDA is empty.
#include "tools/torch/slot/cpu_build/caching_allocator.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/operators.hpp"
#include "tools/torch/slot/visible_devices.hpp"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sim::slot {

namespace {

constexpr std::size_t most_devices = 64;

thread_local c10::DeviceIndex device_in_use = 0;
thread_local std::int64_t streams_in_use[most_devices] = {};

std::size_t place_of(c10::DeviceIndex device) {
    return static_cast<std::size_t>(device);
}

c10::Stream stream_numbered(c10::DeviceIndex device, std::int64_t number) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, device), number);
}

c10::DeviceIndex index_of(c10::Device device) {
    return device.index() >= 0 ? device.index() : device_in_use;
}

// An event is the last place that it was recorded at.
struct Event {
    seam::Mark mark = 0;
};

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

// The caching allocators of all devices, as PyTorch asks for them.
class DeviceMemory final : public c10::DeviceAllocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override { return allocate_on(bytes, device_in_use); }
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
                auto& stat = (*rows[row])[kind];
                stat.current = counters[row]->current;
                stat.peak = counters[row]->peak;
                stat.allocated = counters[row]->allocated;
                stat.freed = counters[row]->freed;
            }
        }
        stats.num_alloc_retries = allocator.retries();
        stats.num_ooms = allocator.failures();
        stats.max_split_size = -1;
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

private:
    static void release(void* block);

    Block* block_of(std::size_t bytes, c10::DeviceIndex device) {
        const std::lock_guard lock(mutex_);
        Block* const block = of(device).allocate(static_cast<std::int64_t>(bytes), streams_in_use[place_of(device)]);
        if (block == nullptr) {
            fail(bytes, device);
        }
        return block;
    }
    CachingAllocator& of(c10::DeviceIndex device) {
        const std::int32_t number = seam_device(device);
        return allocators_.try_emplace(number, gpu(), number).first->second;
    }
    [[noreturn]] void fail(std::size_t bytes, c10::DeviceIndex device) {
        const std::int64_t capacity = gpu().properties(seam_device(device))->memory_bytes;
        const std::int64_t allocated = of(device).all().allocated_bytes.current;
        const std::int64_t reserved = of(device).all().reserved_bytes.current;
        TORCH_CHECK_WITH(
            OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ",
            text_of(static_cast<std::int64_t>(bytes)), ". GPU ", static_cast<int>(device), " has a total capacity of ",
            text_of(capacity), " of which ", text_of(gpu().free_bytes(seam_device(device))),
            " is free. Including non-PyTorch memory, this process has ", text_of(reserved),
            " memory in use. Of the allocated memory ", text_of(allocated), " is allocated by PyTorch, and ",
            text_of(reserved - allocated),
            " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for "
            "Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)");
        std::abort();
    }

    std::mutex mutex_;
    std::map<std::int32_t, CachingAllocator> allocators_;  // by the seam's numbers, as blocks have them
};

// PyTorch frees memory until its process ends.
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

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return c10::kCUDA; }
    c10::Device exchangeDevice(c10::Device device) const override {
        return {c10::kCUDA, std::exchange(device_in_use, index_of(device))};
    }
    c10::Device getDevice() const override { return {c10::kCUDA, device_in_use}; }
    void setDevice(c10::Device device) const override { use_device(index_of(device)); }
    void uncheckedSetDevice(c10::Device device) const noexcept override { device_in_use = index_of(device); }
    c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(visible_devices()); }
    c10::Stream getStream(c10::Device device) const override { return current_stream(index_of(device)); }
    c10::Stream getDefaultStream(c10::Device device) const override { return stream_numbered(index_of(device), 0); }
    c10::Stream getNewStream(c10::Device device, int priority) const override {
        const c10::DeviceIndex index = index_of(device);
        return stream_numbered(index, gpu().new_stream(seam_device(index), priority));
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool high) const override {
        return getNewStream(device, high ? -1 : 0);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override {
        const c10::DeviceIndex device = stream.device_index();
        return stream_numbered(device, std::exchange(streams_in_use[place_of(device)], stream.id()));
    }
    void* getStreamNativeHandle(const c10::Stream stream) const { return reinterpret_cast<void*>(stream.id()); }
    void record(void** event, const c10::Stream& stream, const c10::DeviceIndex /*device*/,
                const c10::EventFlag /*flag*/) const override {
        if (*event == nullptr) {
            *event = new Event;
        }
        auto* const at = static_cast<Event*>(*event);
        gpu().forget(std::exchange(at->mark, gpu().record(stream_of(stream))));
        require(at->mark != 0);
    }
    void destroyEvent(void* event, const c10::DeviceIndex /*device*/) const noexcept override {
        if (const auto* const at = static_cast<Event*>(event)) {
            gpu().forget(at->mark);
            delete at;
        }
    }
    void block(void* event, const c10::Stream& stream) const override {
        if (const auto* const at = static_cast<Event*>(event)) {
            require(gpu().wait(stream_of(stream), at->mark));
        }
    }
    bool queryEvent(void* event) const override {
        return event == nullptr || passed(gpu().has_passed(static_cast<Event*>(event)->mark));
    }
    bool queryStream(const c10::Stream& stream) const override { return passed(gpu().is_idle(stream_of(stream))); }
    void synchronizeStream(const c10::Stream& stream) const override {
        require(gpu().synchronize_stream(stream_of(stream)));
    }
    void synchronizeEvent(void* event) const override {
        if (event != nullptr) {
            require(gpu().synchronize_mark(static_cast<Event*>(event)->mark));
        }
    }
    void synchronizeDevice(const c10::DeviceIndex device) const override {
        require(gpu().synchronize_device(seam_device(device)));
    }
    void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override {
        record_stream(memory, stream);
    }
    double elapsedTime(void* from, void* to, const c10::DeviceIndex /*device*/) const override {
        constexpr double picoseconds_a_millisecond = 1e9;
        const std::int64_t begin = gpu().time_of(static_cast<Event*>(from)->mark);
        const std::int64_t end = gpu().time_of(static_cast<Event*>(to)->mark);
        require(begin >= 0 && end >= 0);
        return static_cast<double>(end - begin) / picoseconds_a_millisecond;
    }

private:
    static bool passed(std::int32_t answer) {
        require(answer >= 0);
        return answer == 1;
    }
};

c10::DeviceIndex current_device() {
    return device_in_use;
}

void use_device(c10::DeviceIndex device) {
    TORCH_CHECK(is_visible(device), "CUDA error: invalid device ordinal: this process sees ", visible_devices(),
                " simulated GPU(s)");
    device_in_use = device;
}

c10::Stream current_stream(c10::DeviceIndex device) {
    return stream_numbered(device, streams_in_use[place_of(device)]);
}

seam::Stream stream_of(const c10::Stream& stream) {
    return {seam_device(stream.device_index()), stream.id()};
}

c10::DataPtr block_of(std::size_t bytes, c10::DeviceIndex device) {
    return memory().allocate_on(bytes, device);
}

void record_stream(const c10::DataPtr& block, const c10::Stream& stream) {
    memory().record(block, stream);
}

c10::Allocator* device_allocator() {
    return &memory();
}

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

}  // namespace sim::slot

namespace {

const bool is_allocator_known = [] {
    c10::SetAllocator(c10::kCUDA, sim::slot::device_allocator());
    return true;
}();

}  // namespace
