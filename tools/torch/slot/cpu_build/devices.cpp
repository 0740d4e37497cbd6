// Devices, streams and events in a build of PyTorch for the CPU, whose slot for CUDA is empty.
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <utility>

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

// An event holds the last place at which it was recorded.
struct Event {
    seam::Mark mark = 0;
};

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

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

}  // namespace sim::slot
