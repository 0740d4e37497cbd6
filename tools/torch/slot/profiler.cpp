// The GPU events that PyTorch's profiler uses to measure times.
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <memory>

namespace sim::slot {

namespace {

using torch::profiler::impl::ProfilerStubs;
using torch::profiler::impl::ProfilerVoidEventStub;

constexpr float picoseconds_a_microsecond = 1e6F;

class Stubs final : public ProfilerStubs {
public:
    void record(c10::DeviceIndex* device, ProfilerVoidEventStub* event, std::int64_t* host) const override {
        const c10::DeviceIndex here = current_device();
        if (device != nullptr) {
            *device = here;
        }
        auto* const mark = new seam::Mark(gpu().record(stream_of(current_stream(here))));
        *event = std::shared_ptr<void>(mark, [](void* place) {
            gpu().forget(*static_cast<seam::Mark*>(place));
            delete static_cast<seam::Mark*>(place);
        });
        if (host != nullptr) {
            *host = c10::getTime();
        }
    }
    float elapsed(const ProfilerVoidEventStub* from, const ProfilerVoidEventStub* to) const override {
        const std::int64_t begin = gpu().time_of(*static_cast<const seam::Mark*>(from->get()));
        const std::int64_t end = gpu().time_of(*static_cast<const seam::Mark*>(to->get()));
        return static_cast<float>(end - begin) / picoseconds_a_microsecond;
    }
    void mark(const char* /*name*/) const override {}
    void rangePush(const char* /*name*/) const override {}
    void rangePop() const override {}
    bool enabled() const override { return true; }
    void onEachDevice(std::function<void(int)> action) const override {
        const c10::DeviceIndex before = current_device();
        for (int device = 0; device < visible_devices(); ++device) {
            use_device(static_cast<c10::DeviceIndex>(device));
            action(device);
        }
        use_device(before);
    }
    void synchronize() const override { gpu().synchronize_device(seam_device(current_device())); }
};

const bool are_registered = [] {
    static Stubs stubs;
    torch::profiler::impl::registerCUDAMethods(&stubs);
    return true;
}();

}  // namespace

}  // namespace sim::slot
