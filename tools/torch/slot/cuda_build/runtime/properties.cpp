#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cstdio>
#include <cstring>

namespace sim::slot {

namespace {

// Limits that follow from the compute capability. Source: the table of technical specifications in the CUDA C++
// Programming Guide.
int threads_of_multiprocessor(int major, int minor) {
    if (major == 7 && minor == 5) {
        return 1024;
    }
    return (major == 8 && minor != 0) || major == 12 ? 1536 : 2048;
}

int blocks_of_multiprocessor(int major, int minor) {
    if (major == 7 && minor == 5) {
        return 16;
    }
    if (major == 8 && minor != 0) {
        return minor == 9 ? 24 : 16;
    }
    return major == 12 ? 24 : 32;
}

constexpr int registers = 65536;
constexpr int shared_bytes_of_block = 48 << 10;
constexpr int shared_bytes_kept_of_block = 1 << 10;

}  // namespace

static void describe(cudaDeviceProp& to, int device) {
    const seam::Properties& of = properties_of(device);
    std::memset(&to, 0, sizeof to);
    std::snprintf(to.name, sizeof to.name, "%s", of.name);
    to.uuid.bytes[15] = static_cast<char>(seam_device(device) + 1);  // as in the text of its UUID
    to.totalGlobalMem = static_cast<std::size_t>(of.memory_bytes);
    to.major = of.major;
    to.minor = of.minor;
    to.multiProcessorCount = of.multiprocessors;
    to.l2CacheSize = static_cast<int>(of.l2_bytes);
    to.sharedMemPerMultiprocessor = static_cast<std::size_t>(of.shared_bytes_per_multiprocessor);
    to.sharedMemPerBlock = shared_bytes_of_block;
    to.sharedMemPerBlockOptin = to.sharedMemPerMultiprocessor - shared_bytes_kept_of_block;
    to.reservedSharedMemPerBlock = shared_bytes_kept_of_block;
    to.regsPerBlock = to.regsPerMultiprocessor = registers;
    to.warpSize = 32;
    to.maxThreadsPerBlock = 1024;
    to.maxThreadsPerMultiProcessor = threads_of_multiprocessor(of.major, of.minor);
    to.maxBlocksPerMultiProcessor = blocks_of_multiprocessor(of.major, of.minor);
    to.maxThreadsDim[0] = to.maxThreadsDim[1] = 1024;
    to.maxThreadsDim[2] = 64;
    to.maxGridSize[0] = 0x7FFFFFFF;
    to.maxGridSize[1] = to.maxGridSize[2] = 0xFFFF;
    to.totalConstMem = 64 << 10;
    to.pciBusID = pci_bus_of(seam_device(device));
    to.canMapHostMemory = to.concurrentKernels = to.unifiedAddressing = to.cooperativeLaunch = 1;
    to.streamPrioritiesSupported = to.globalL1CacheSupported = to.localL1CacheSupported = 1;
    to.asyncEngineCount = 3;
#if CUDART_VERSION < 13000
    to.clockRate = static_cast<int>(of.clock_hertz / 1000);
#endif
}

int attribute_of(int device, int attribute) {
    cudaDeviceProp of;
    describe(of, device);
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: return of.maxThreadsPerBlock;
        case cudaDevAttrMaxBlockDimX: return of.maxThreadsDim[0];
        case cudaDevAttrMaxBlockDimY: return of.maxThreadsDim[1];
        case cudaDevAttrMaxBlockDimZ: return of.maxThreadsDim[2];
        case cudaDevAttrMaxGridDimX: return of.maxGridSize[0];
        case cudaDevAttrMaxGridDimY: return of.maxGridSize[1];
        case cudaDevAttrMaxGridDimZ: return of.maxGridSize[2];
        case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(of.sharedMemPerBlock);
        case cudaDevAttrTotalConstantMemory: return static_cast<int>(of.totalConstMem);
        case cudaDevAttrWarpSize: return of.warpSize;
        case cudaDevAttrMaxRegistersPerBlock: return of.regsPerBlock;
        case cudaDevAttrMultiProcessorCount: return of.multiProcessorCount;
        case cudaDevAttrCanMapHostMemory: return of.canMapHostMemory;
        case cudaDevAttrConcurrentKernels: return of.concurrentKernels;
        case cudaDevAttrPciBusId: return of.pciBusID;
        case cudaDevAttrL2CacheSize: return of.l2CacheSize;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return of.maxThreadsPerMultiProcessor;
        case cudaDevAttrAsyncEngineCount: return of.asyncEngineCount;
        case cudaDevAttrUnifiedAddressing: return of.unifiedAddressing;
        case cudaDevAttrComputeCapabilityMajor: return of.major;
        case cudaDevAttrComputeCapabilityMinor: return of.minor;
        case cudaDevAttrStreamPrioritiesSupported: return of.streamPrioritiesSupported;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(of.sharedMemPerMultiprocessor);
        case cudaDevAttrMaxRegistersPerMultiprocessor: return of.regsPerMultiprocessor;
        case cudaDevAttrCooperativeLaunch: return of.cooperativeLaunch;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(of.sharedMemPerBlockOptin);
        case cudaDevAttrVirtualMemoryManagementSupported: return 1;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return of.maxBlocksPerMultiProcessor;
        case cudaDevAttrReservedSharedMemoryPerBlock: return static_cast<int>(of.reservedSharedMemPerBlock);
        case cudaDevAttrMemoryPoolsSupported: return 1;
        default: return 0;  // a feature that a simulated GPU does not have
    }
}

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!is_visible(device)) {
        return failed(cudaErrorInvalidDevice);
    }
    describe(*properties, device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int device) {
    if (!is_visible(device)) {
        return failed(cudaErrorInvalidDevice);
    }
    *value = attribute_of(device, attribute);
    return cudaSuccess;
}
}
