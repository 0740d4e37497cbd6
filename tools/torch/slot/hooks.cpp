// The hooks by which PyTorch asks a build for CUDA about its GPUs, apart from tensors: their number, generators and
// libraries.
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

namespace sim::slot {

namespace {

constexpr std::int64_t fft_plans = 4096;
// Set by the builder: the CUDA version that this PyTorch was released with, or would have been for CUDA.
constexpr long cuda_version = NDSIM_CUDA_VERSION;

c10::DeviceIndex exchange(c10::DeviceIndex device) {
    if (device < 0) {
        return -1;
    }
    const c10::DeviceIndex before = current_device();
    use_device(device);
    return before;
}

}  // namespace

struct Hooks final : at::CUDAHooksInterface {
    explicit Hooks(at::CUDAHooksArgs /*none*/) {}

    void init() const override { device_allocator(); }
    bool hasCUDA() const override { return true; }
    // Exists since 2.8.
    bool isBuilt() const { return true; }
    bool isAvailable() const { return true; }
    bool hasPrimaryContext(c10::DeviceIndex /*device*/) const override { return true; }
    c10::DeviceIndex current_device() const override { return slot::current_device(); }
    c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(visible_devices()); }
    int getNumGPUs() const override { return visible_devices(); }
    void setCurrentDevice(c10::DeviceIndex device) const override { use_device(device); }
    c10::DeviceIndex getCurrentDevice() const override { return slot::current_device(); }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override { return exchange(device); }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override { return exchange(device); }
    const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
        return default_generator(device);
    }
    at::Generator getNewGenerator(c10::DeviceIndex device) const override { return new_generator(device); }
    c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
    c10::Allocator* getCUDADeviceAllocator() const override { return device_allocator(); }
    bool isPinnedPtr(const void* address) const override { return is_pinned(address); }
    void deviceSynchronize(c10::DeviceIndex device) const override {
        require(gpu().synchronize_device(seam_device(device < 0 ? slot::current_device() : device)));
    }
    bool hasCUDART() const override { return true; }
    long versionCUDART() const override { return cuda_version; }
    bool hasCuDNN() const override { return true; }
    bool compiledWithCuDNN() const override { return true; }
    bool supportsDilatedConvolutionWithCuDNN() const override { return true; }
    bool supportsDepthwiseConvolutionWithCuDNN() const override { return true; }
    bool supportsBFloat16ConvolutionWithCuDNNv8() const override { return true; }
    double batchnormMinEpsilonCuDNN() const override { return 0; }
    long versionCuDNN() const override { return cudnn_version; }
    // Exists since 2.9.
    bool supportsBFloat16RNNWithCuDNN() const { return true; }
    long versionRuntimeCuDNN() const { return cudnn_version; }
    bool hasCuBLASLt() const override { return true; }
    bool hasCuSOLVER() const override { return true; }
    std::int64_t cuFFTGetPlanCacheMaxSize(c10::DeviceIndex /*device*/) const override { return fft_plans; }
    std::int64_t cuFFTGetPlanCacheSize(c10::DeviceIndex /*device*/) const override { return 0; }
    void cuFFTSetPlanCacheMaxSize(c10::DeviceIndex /*device*/, std::int64_t /*most*/) const override {}
    void cuFFTClearPlanCache(c10::DeviceIndex /*device*/) const override {}
    at::Device getDeviceFromPtr(void* /*address*/) const override { return {c10::kCUDA, slot::current_device()}; }
    std::string showConfig() const override { return "  - CUDA simulated by ndsim\n"; }
};

// DistributedDataParallel times its phases with device events.
struct Timer final : c10d::Timer {
    explicit Timer(c10::Device /*device*/) {}
    std::optional<std::int64_t> measureDifference(Event /*start*/, Event /*end*/) override { return 1; }
};

}  // namespace sim::slot

namespace at {
// PyTorch looks it up by this name.
using CUDAHooks = sim::slot::Hooks;
REGISTER_CUDA_HOOKS(CUDAHooks)
}  // namespace at

namespace c10d {
using SimulatedTimer = sim::slot::Timer;
C10_REGISTER_TYPED_CLASS(TimerRegistry, c10::kCUDA, SimulatedTimer)
}  // namespace c10d
