// Stream-ordered memory (cudaMallocAsync): one pool per device, which caches nothing.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <array>
#include <atomic>

namespace sim::slot {

namespace {

struct Pool {
    std::atomic<std::uint64_t> used{0};
    std::atomic<std::uint64_t> most_used{0};
    std::atomic<std::uint64_t> release_threshold{0};
};
std::array<Pool, 64> pools;

cudaMemPool_t pool_of(int device) {
    return reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device) + 1);
}

Pool& pool_at(cudaMemPool_t handle) {
    return pools.at(reinterpret_cast<std::uintptr_t>(handle) - 1);
}

bool is_pool(cudaMemPool_t handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value >= 1 && is_visible(static_cast<int>(value) - 1);
}

std::atomic<std::uint64_t>* counter_of(Pool& pool, cudaMemPoolAttr attribute) {
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold: return &pool.release_threshold;
        case cudaMemPoolAttrReservedMemCurrent:
        case cudaMemPoolAttrUsedMemCurrent: return &pool.used;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh: return &pool.most_used;
        default: return nullptr;
    }
}

void add_use(Pool& pool, std::uint64_t bytes) {
    const std::uint64_t now = pool.used += bytes;
    std::uint64_t most = pool.most_used;
    while (most < now && !pool.most_used.compare_exchange_weak(most, now)) {
    }
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    *pool = pool_of(device);
    return is_visible(device) ? cudaSuccess : failed(cudaErrorInvalidDevice);
}

cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t) {
    if (const cudaError_t error = cudaMalloc(address, bytes); error != cudaSuccess || *address == nullptr) {
        return error;
    }
    add_use(pool_at(pool_of(current_visible_device())), bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t) {
    const std::optional<Range> range = range_of(address);
    const cudaError_t error = give_back(address);
    if (error == cudaSuccess && range) {
        pool_at(pool_of(range->device)).used -= range->bytes;
    }
    return error;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!is_pool(pool)) {
        return failed(cudaErrorInvalidValue);
    }
    if (const auto* counter = counter_of(pool_at(pool), attribute)) {
        *static_cast<std::uint64_t*>(value) = *counter;
    } else {
        *static_cast<int*>(value) = 1;  // policies of reuse: nothing is cached
    }
    return cudaSuccess;
}

// A high-water mark is reset to the current use, whatever value the caller passes.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!is_pool(pool)) {
        return failed(cudaErrorInvalidValue);
    }
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool_at(pool).release_threshold = *static_cast<std::uint64_t*>(value);
    } else if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh) {
        pool_at(pool).most_used = pool_at(pool).used.load();
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return is_pool(pool) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const void*, std::size_t) {
    return is_pool(pool) ? cudaSuccess : failed(cudaErrorInvalidValue);
}
}
