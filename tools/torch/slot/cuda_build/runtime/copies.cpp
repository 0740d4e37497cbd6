#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cstring>

namespace sim::slot {

namespace {

struct End {
    bool is_on_gpu = false;
    bool is_pinned = false;
    int device = 0;
};

End end_at(const void* address) {
    const std::optional<Range> range = range_of(address);
    if (!range) {
        return {};
    }
    return {range->type == cudaMemoryTypeDevice, range->type == cudaMemoryTypeHost, range->device};
}

// In a hollow run the memory of a GPU is addresses that nobody touches.
bool may_touch(const End& end) {
    return !end.is_on_gpu || !gpu().is_hollow;
}

seam::Copy copy_between(const End& to, const End& from, std::size_t bytes, bool is_blocking) {
    seam::Copy copy;
    copy.bytes = static_cast<std::int64_t>(bytes);
    copy.is_blocking = is_blocking;
    if (to.is_on_gpu && from.is_on_gpu) {
        copy.kind = to.device == from.device ? seam::CopyKind::within_gpu : seam::CopyKind::between_gpus;
        copy.other_device = seam_device(from.device);
    } else {
        copy.kind = to.is_on_gpu ? seam::CopyKind::to_gpu : seam::CopyKind::to_host;
        copy.is_pinned = to.is_pinned || from.is_pinned;
    }
    return copy;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream, bool is_blocking) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    const End target = end_at(to);
    const End source = end_at(from);
    if (may_touch(target) && may_touch(source)) {
        std::memmove(to, from, bytes);
    }
    if (!target.is_on_gpu && !source.is_on_gpu) {
        return cudaSuccess;  // the host's own work, which takes no GPU time
    }
    return success_if(gpu().copy(copy_between(target, source, bytes, is_blocking), seam_stream(stream)));
}

// A kernel that only writes, whereas a copy reads and writes.
cudaError_t set(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (may_touch(end_at(to))) {
        std::memset(to, value, bytes);
    }
    const seam::Copy written{.bytes = static_cast<std::int64_t>((bytes + 1) / 2)};
    return success_if(gpu().copy(written, seam_stream(stream)));
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    return copy(to, from, bytes, nullptr, true);
}

// Pageable memory is copied before the call returns, as on a GPU.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    return copy(to, from, bytes, stream, false);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
    return copy(to, from, bytes, stream, false);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return set(to, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return set(to, value, bytes, stream);
}
}
