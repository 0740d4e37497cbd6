#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cstdio>

namespace sim::slot {

namespace {
thread_local int current = 0;
}

int current_visible_device() {
    return current;
}

const seam::Properties& properties_of(int device) {
    return *gpu().properties(seam_device(device));
}

int pci_bus_of(std::int32_t number) {
    return 0x10 + number;
}

std::string pci_text(std::int32_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "00000000:%02X:00.0", static_cast<unsigned>(pci_bus_of(number)));
    return text;
}

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = visible_devices();
    return *count > 0 ? cudaSuccess : failed(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
    *device = current_visible_device();
    return visible_devices() > 0 ? cudaSuccess : failed(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
    if (!is_visible(device)) {
        return failed(visible_devices() > 0 ? cudaErrorInvalidDevice : cudaErrorNoDevice);
    }
    current = device;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    return cudaDriverGetVersion(version);
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
    if (!is_visible(device)) {
        return failed(cudaErrorInvalidDevice);
    }
    std::snprintf(text, static_cast<std::size_t>(size), "%s", pci_text(seam_device(device)).c_str());
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!is_visible(device) || !is_visible(peer)) {
        return failed(cudaErrorInvalidDevice);
    }
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    return is_visible(peer) ? cudaSuccess : failed(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return cudaDeviceEnablePeerAccess(peer, 0);
}

cudaError_t cudaDeviceSynchronize() {
    if (!is_visible(current)) {
        return failed(cudaErrorNoDevice);
    }
    return success_if(gpu().synchronize_device(seam_device(current)));
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    if (!is_visible(current)) {
        return failed(cudaErrorNoDevice);
    }
    *total = static_cast<std::size_t>(properties_of(current).memory_bytes);
    *free = static_cast<std::size_t>(gpu().free_bytes(seam_device(current)));
    return cudaSuccess;
}
}
