#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cstdlib>

using namespace sim::slot;

extern "C" {

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
    *address = nullptr;
    if (!is_visible(current_visible_device())) {
        return failed(cudaErrorNoDevice);
    }
    if (bytes == 0) {
        return cudaSuccess;
    }
    *address = reserve(current_visible_device(), bytes);
    return *address != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

// cudaFree waits for all work on its device.
cudaError_t cudaFree(void* address) {
    if (address == nullptr) {
        return cudaSuccess;
    }
    const std::optional<Range> range = range_of(address);
    if (!range) {
        return failed(cudaErrorInvalidValue);
    }
    if (!gpu().synchronize_device(seam_device(range->device))) {
        return failed_in_simulator();
    }
    return give_back(address);
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
    *address = nullptr;
    if (bytes == 0) {
        return cudaSuccess;
    }
    constexpr std::size_t page = 4096;
    if (posix_memalign(address, page, bytes) != 0) {
        *address = nullptr;
        return failed(cudaErrorMemoryAllocation);
    }
    remember({static_cast<char*>(*address), bytes, cudaMemoryTypeHost, current_visible_device()});
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
    return cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* address) {
    if (address != nullptr && !forget(address)) {
        return failed(cudaErrorInvalidValue);
    }
    std::free(address);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned) {
    if (address == nullptr || bytes == 0) {
        return failed(cudaErrorInvalidValue);
    }
    if (range_of(address)) {
        return failed(cudaErrorHostMemoryAlreadyRegistered);
    }
    remember({static_cast<char*>(address), bytes, cudaMemoryTypeHost, current_visible_device()});
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* address) {
    return forget(address) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    *device = host;
    return range_of(host) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    *attributes = {};
    auto* at = const_cast<void*>(address);
    const std::optional<Range> range = range_of(address);
    attributes->type = range ? range->type : cudaMemoryTypeUnregistered;
    attributes->device = range ? range->device : -2;  // -2: the runtime's value for an unknown host address
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : at;
    attributes->devicePointer = attributes->type == cudaMemoryTypeUnregistered ? nullptr : at;
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
    return not_simulated("CUDA memory that processes share");
}

cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
    return not_simulated("CUDA memory that processes share");
}

cudaError_t cudaIpcCloseMemHandle(void*) {
    return not_simulated("CUDA memory that processes share");
}
}
