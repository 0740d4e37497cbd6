#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace sim::slot {

namespace {

// PyTorch creates 128 streams per device and uses a few. A stream gets its number at its first use, so that a timeline
// has only streams that were used, numbered in the order of their first use.
struct Stream {
    int device = 0;
    int priority = 0;
    unsigned flags = 0;
    std::atomic<std::int64_t> number{-1};
};

constexpr std::size_t most_streams = 1 << 14;
constexpr std::uintptr_t step_of_handles = 0x100;  // beyond the handles of default streams; PyTorch requires even ones
std::array<Stream, most_streams> streams;
std::atomic<std::size_t> stream_count{0};
std::mutex numbering;

cudaStream_t handle_of(std::size_t index) {
    return reinterpret_cast<cudaStream_t>((index + 1) * step_of_handles);
}

Stream* stream_at(cudaStream_t handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    const std::size_t index = value / step_of_handles - 1;
    return value >= step_of_handles && index < stream_count.load(std::memory_order_acquire) ? &streams[index] : nullptr;
}

cudaStream_t make_stream(int device, unsigned flags, int priority) {
    const std::lock_guard lock(numbering);
    const std::size_t index = stream_count.load(std::memory_order_relaxed);
    if (index == most_streams) {
        return nullptr;
    }
    streams[index].device = device;
    streams[index].priority = priority;
    streams[index].flags = flags;
    stream_count.store(index + 1, std::memory_order_release);
    return handle_of(index);
}

std::int64_t numbered(Stream& stream) {
    std::int64_t number = stream.number.load(std::memory_order_acquire);
    if (number < 0) {
        const std::lock_guard lock(numbering);
        number = stream.number.load(std::memory_order_relaxed);
        if (number < 0) {
            number = gpu().new_stream(seam_device(stream.device), stream.priority);
            stream.number.store(number, std::memory_order_release);
        }
    }
    return number;
}

// The thread's own default stream on the current device.
cudaStream_t stream_of_thread() {
    thread_local std::array<cudaStream_t, 64> own{};
    cudaStream_t& stream = own.at(static_cast<std::size_t>(current_visible_device()));
    if (stream == nullptr) {
        stream = make_stream(current_visible_device(), cudaStreamNonBlocking, 0);
    }
    return stream;
}

bool is_default(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy;
}

bool is_known(cudaStream_t stream) {
    return is_default(stream) || stream == cudaStreamPerThread || stream_at(stream) != nullptr;
}

}  // namespace

bool is_never_used(cudaStream_t handle) {
    const Stream* stream = stream_at(handle);
    return stream != nullptr && stream->number.load(std::memory_order_acquire) < 0;
}

seam::Stream seam_stream(cudaStream_t handle) {
    if (handle == cudaStreamPerThread) {
        handle = stream_of_thread();
    }
    if (Stream* stream = stream_at(handle)) {
        return {seam_device(stream->device), numbered(*stream)};
    }
    return {seam_device(current_visible_device()), 0};
}

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (!is_visible(current_visible_device())) {
        return failed(cudaErrorNoDevice);
    }
    *stream = make_stream(current_visible_device(), flags, priority);
    return *stream != nullptr ? cudaSuccess : not_simulated("more than 16384 streams in a process");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

// Its work continues, as on a GPU; its number is not reused.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return stream_at(stream) != nullptr ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    const Stream* of = stream_at(stream);
    *priority = of != nullptr ? of->priority : 0;
    return is_known(stream) ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    const Stream* of = stream_at(stream);
    *flags = of != nullptr ? of->flags : cudaStreamDefault;
    return is_known(stream) ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (!is_known(stream)) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    if (is_never_used(stream)) {
        return cudaSuccess;
    }
    switch (gpu().is_idle(seam_stream(stream))) {
        case 1: return cudaSuccess;
        case 0: return failed(cudaErrorNotReady);
        default: return failed_in_simulator();
    }
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (!is_known(stream)) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    return is_never_used(stream) ? cudaSuccess : success_if(gpu().synchronize_stream(seam_stream(stream)));
}

// Values are computed immediately, so the host function can run immediately, too.
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
    function(stream, cudaSuccess, data);
    return cudaSuccess;
}
}
