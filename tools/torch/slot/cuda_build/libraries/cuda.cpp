// The simulated CUDA driver (libcuda.so.1): devices, and memory by address and handle, which PyTorch's expandable
// segments use. A handle is memory of the simulated GPU; an address is a range of this process that becomes usable when
// it is mapped.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cuda.h>

#include <sys/mman.h>

#include <cstdio>
#include <map>
#include <mutex>

using namespace sim::slot;

namespace {

struct Handle {
    void* memory = nullptr;  // its memory on the device
    std::size_t bytes = 0;
    int device = 0;
    int uses = 1;  // one for its creator, and one per mapping
};

std::mutex guard;
std::map<char*, Handle*>& mapped() {
    static auto* all = new std::map<char*, Handle*>;
    return *all;
}

void release(Handle* handle) {
    if (--handle->uses == 0) {
        give_back(handle->memory);
        delete handle;
    }
}

Handle* handle_at(CUmemGenericAllocationHandle value) {
    return reinterpret_cast<Handle*>(value);
}

char* address_at(CUdeviceptr value) {
    return reinterpret_cast<char*>(value);
}

constexpr std::size_t granularity = 2 << 20;
constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

CUresult check(int device) {
    return is_visible(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
    return visible_devices() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int* version) {
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    *count = visible_devices();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
    *device = index;
    return check(index);
}

CUresult cuDeviceGetName(char* text, int size, CUdevice device) {
    if (check(device) == CUDA_SUCCESS) {
        std::snprintf(text, static_cast<std::size_t>(size), "%s", properties_of(device).name);
    }
    return check(device);
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
    if (check(device) == CUDA_SUCCESS) {
        *bytes = static_cast<std::size_t>(properties_of(device).memory_bytes);
    }
    return check(device);
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
    if (check(device) == CUDA_SUCCESS) {
        *value = attribute_of(device, attribute);
    }
    return check(device);
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
    *text = cudaGetErrorName(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, int) {
    *bytes = granularity;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
    void* range = mmap(nullptr, bytes, PROT_NONE, reserved, -1, 0);
    *address = reinterpret_cast<CUdeviceptr>(range);
    return range != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    return munmap(address_at(address), bytes) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* what,
                     unsigned long long) {
    if (check(what->location.id) != CUDA_SUCCESS) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    void* memory = reserve(what->location.id, bytes);
    if (memory == nullptr) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = reinterpret_cast<CUmemGenericAllocationHandle>(new Handle{memory, bytes, what->location.id});
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    const std::lock_guard lock(guard);
    release(handle_at(handle));
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    const std::lock_guard lock(guard);
    ++handle_at(handle)->uses;
    mapped()[address_at(address)] = handle_at(handle);
    remember({address_at(address), bytes, cudaMemoryTypeDevice, handle_at(handle)->device});
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
    const bool done = mprotect(address_at(address), bytes, PROT_READ | PROT_WRITE) == 0;
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    const std::lock_guard lock(guard);
    const char* end = address_at(address) + bytes;
    for (auto at = mapped().lower_bound(address_at(address)); at != mapped().end() && at->first < end;) {
        forget(at->first);
        release(at->second);
        at = mapped().erase(at);
    }
    const void* range = mmap(address_at(address), bytes, PROT_NONE, reserved | MAP_FIXED, -1, 0);
    return range != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    const std::optional<Range> range = range_of(address_at(address));
    if (!range) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (begin != nullptr) {
        *begin = reinterpret_cast<CUdeviceptr>(range->begin);
    }
    if (bytes != nullptr) {
        *bytes = range->bytes;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    return cuMemGetAddressRange_v2(begin, bytes, address);
}

// PyTorch uses values of four equal bytes.
CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, std::size_t count, CUstream stream) {
    const cudaError_t error = cudaMemsetAsync(address_at(address), static_cast<int>(value & 0xFF), 4 * count, stream);
    return static_cast<CUresult>(error);
}

// The driver's error log stays empty: errors of the simulated GPU carry their own explanation.
CUresult cuLogsRegisterCallback(void*, void*, unsigned* handle) {
    *handle = 0;
    return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(unsigned) {
    return CUDA_SUCCESS;
}

__attribute__((visibility("hidden"))) long ndsim_missing(const char* name) {
    explain(cudaErrorNotSupported, std::string("ndsim does not simulate ") + name);
    return CUDA_ERROR_NOT_SUPPORTED;
}
}
