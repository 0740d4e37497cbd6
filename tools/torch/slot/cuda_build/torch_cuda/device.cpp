// Devices, streams and memory in a build for CUDA: PyTorch's own, on the simulated runtime.
#include "tools/torch/slot/device.hpp"

#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#if __has_include(<ATen/cuda/MemPool.h>)
#include <ATen/cuda/MemPool.h>
#endif
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
#include <c10/cuda/PeerToPeerAccess.h>
#endif

#include <mutex>
#include <utility>

// Not in PyTorch's headers: whether a device was used already, which decides whether a guard may switch to it.
namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*has)(c10::DeviceIndex));
}

namespace sim::slot {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

const bool has_contexts = [] {
    c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
    return true;
}();

// Initialized like PyTorch's own libtorch_cuda, when CUDA is first used.
allocator::CUDAAllocator& cuda_allocator() {
    allocator::CUDAAllocator* const own = allocator::get();
    static std::once_flag once;
    std::call_once(once, [own] {
        const c10::DeviceIndex devices = c10::cuda::device_count_ensure_non_zero();
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
        c10::cuda::detail::init_p2p_access_cache(devices);
#endif
        if (!own->initialized()) {
            own->init(devices);
        }
    });
    return *own;
}

// The device memory of a tensor, rounded up by the allocator.
struct Held {
    c10::DataPtr block;
    std::int64_t bytes = 0;
    c10::DeviceIndex device = 0;
};

void release_held(void* held) {
    auto* const of = static_cast<Held*>(held);
    gpu().hold(seam_device(of->device), -of->bytes);
    delete of;
}

std::int64_t bytes_given_out(c10::DeviceIndex device) {
    return cuda_allocator().getDeviceStats(device).allocated_bytes[0].current;
}

}  // namespace

c10::DeviceIndex current_device() {
    return c10::cuda::current_device();
}

void use_device(c10::DeviceIndex device) {
    c10::cuda::set_device(device);
}

c10::Stream current_stream(c10::DeviceIndex device) {
    return c10::cuda::getCurrentCUDAStream(device).unwrap();
}

seam::Stream stream_of(const c10::Stream& stream) {
    // Shortcut for the default stream, on which most operators run.
    if (stream.id() == 0) {
        return {seam_device(stream.device_index()), 0};
    }
    return seam_stream(c10::cuda::CUDAStream(c10::cuda::CUDAStream::UNCHECKED, stream).stream());
}

c10::DataPtr block_of(std::size_t bytes, c10::DeviceIndex device) {
    const c10::cuda::OptionalCUDAGuard guard(device == current_device() ? std::nullopt : std::optional(device));
    const std::int64_t before = bytes_given_out(device);
    c10::DataPtr block = cuda_allocator().allocate(bytes);
    const std::int64_t held_bytes = bytes_given_out(device) - before;
    gpu().hold(seam_device(device), held_bytes);
    void* const address = block.get();
    return {address, new Held{std::move(block), held_bytes, device}, &release_held, c10::Device(c10::kCUDA, device)};
}

void record_stream(const c10::DataPtr& block, const c10::Stream& stream) {
    if (block.get_deleter() == &release_held) {
        const c10::cuda::CUDAStream user(c10::cuda::CUDAStream::UNCHECKED, stream);
        cuda_allocator().recordStream(static_cast<Held*>(block.get_context())->block, user);
    }
}

PoolId new_pool(bool is_users) {
#if __has_include(<ATen/cuda/MemPool.h>)
    return at::cuda::MemPool::graph_pool_handle(is_users);
#else
    return c10::cuda::MemPool::graph_pool_handle(is_users);
#endif
}

// An unused stream is not being captured, and the seam need not learn of it.
void begin_pool(c10::DeviceIndex device, PoolId pool, std::function<bool(seam::Stream)> is_its_stream) {
    cuda_allocator().beginAllocateToPool(device, pool, [is_its_stream = std::move(is_its_stream)](cudaStream_t stream) {
        return !is_never_used(stream) && is_its_stream(seam_stream(stream));
    });
}

void end_pool(c10::DeviceIndex device, PoolId pool) {
    cuda_allocator().endAllocateToPool(device, pool);
}

void release_pool(c10::DeviceIndex device, PoolId pool) {
    cuda_allocator().releasePool(device, pool);
}

bool is_pinned_by_program(const void* address) {
    const std::optional<Range> range = range_of(address);
    return range && range->type == cudaMemoryTypeHost;
}

c10::Allocator* device_allocator() {
    return &cuda_allocator();
}

}  // namespace sim::slot
