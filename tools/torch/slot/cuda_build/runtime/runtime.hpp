// What the files of the simulated CUDA runtime share: errors, devices, streams, and which memory is whose.
//
// The runtime keeps what CUDA's interface needs and the seam does not have: handles, the current device, errors, ranges
// of addresses. Time, prices and the size of the memory are the seam's. A function of CUDA's interface throws nothing,
// but for the launch of a kernel (kernels.cpp).
#pragma once

#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/visible_devices.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>

namespace sim::slot {

// Errors. A failure is told once by cudaGetLastError, and its text is that of the thread's last failure of that kind.
cudaError_t failed(cudaError_t error, std::string text = {});
// The text alone: the driver's errors are not those that cudaGetLastError tells.
void explain(cudaError_t error, std::string text);
cudaError_t failed_in_simulator();
// Its text is "ndsim does not simulate WHAT".
cudaError_t not_simulated(const std::string& what);
inline cudaError_t success_if(bool done) {
    return done ? cudaSuccess : failed_in_simulator();
}

// Devices, as the process numbers them.
int current_visible_device();  // the calling thread's
const seam::Properties& properties_of(int device);
int attribute_of(int device, int attribute);  // the numbers of the runtime and of the driver are the same
std::string pci_text(std::int32_t number);    // the place of the seam's device on the PCI bus
int pci_bus_of(std::int32_t number);

// Streams. A handle is a small number, the same in every run; the seam hears of a stream when it is first used.
seam::Stream seam_stream(cudaStream_t stream);
bool is_never_used(cudaStream_t stream);

// Memory.
struct Range {
    char* begin = nullptr;
    std::size_t bytes = 0;
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    int device = 0;  // a visible one
};
// The reserved, pinned or mapped memory that holds an address.
std::optional<Range> range_of(const void* address);
void remember(const Range& range);
std::optional<Range> forget(const void* begin);
// Memory of a device for cudaMalloc and its like. Null where the device is full.
void* reserve(int device, std::size_t bytes);
cudaError_t give_back(void* address);

}  // namespace sim::slot
