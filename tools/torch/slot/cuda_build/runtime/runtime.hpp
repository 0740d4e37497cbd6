// The state that the files of the simulated CUDA runtime share: errors, devices, streams, and ranges of memory.
//
// The runtime keeps what CUDA's API needs beyond the seam: handles, the current device, errors, ranges of addresses.
// Time, prices and the size of the memory are the seam's. The functions of CUDA's API do not throw, except for the
// launch of a kernel (kernels.cpp).
#pragma once

#include "tools/torch/slot/seam_table.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>

namespace sim::slot {

// Errors. cudaGetLastError reports a failure once; its text is that of the thread's last failure with this error.
cudaError_t failed(cudaError_t error, std::string text = {});
// Sets only the text: cudaGetLastError does not report errors of the driver.
void explain(cudaError_t error, std::string text);
cudaError_t failed_in_simulator();
// Fails with the text "ndsim does not simulate WHAT".
cudaError_t not_simulated(const std::string& what);
inline cudaError_t success_if(bool done) {
    return done ? cudaSuccess : failed_in_simulator();
}

// Devices, by their number among the visible ones.
int current_visible_device();  // the calling thread's
const seam::Properties& properties_of(int device);
int attribute_of(int device, int attribute);  // attributes have the same values in runtime and driver
std::string pci_text(std::int32_t number);    // the PCI address of a device, by the seam's number
int pci_bus_of(std::int32_t number);

// Streams. A handle is a small number, the same in every run; the seam gets a stream at its first use.
seam::Stream seam_stream(cudaStream_t stream);
bool is_never_used(cudaStream_t stream);

// Memory.
struct Range {
    char* begin = nullptr;
    std::size_t bytes = 0;
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    int device = 0;  // number among visible devices
};
// The reserved, pinned or mapped range that contains an address.
std::optional<Range> range_of(const void* address);
void remember(const Range& range);
std::optional<Range> forget(const void* begin);
// Memory of a device for cudaMalloc and similar functions. Null if the device is full.
void* reserve(int device, std::size_t bytes);
cudaError_t give_back(void* address);

}  // namespace sim::slot
