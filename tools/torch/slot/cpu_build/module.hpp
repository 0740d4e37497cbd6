// Python bindings for the parts of CUDA that a build of PyTorch for the CPU lacks.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <string>

// Declared here only: the files that carry out these functions are compiled without Python's headers.
namespace pybind11 {
class module_;
}

namespace sim::slot {

void bind_cpu_build(pybind11::module_& module);

// A memory setting of torch.cuda.memory. Throws ValueError, in one line, for a setting unknown to PyTorch.
void change_memory_settings(const std::string& text);
// Limits reserved memory to this fraction of the GPU's memory from now on.
void limit_memory(c10::DeviceIndex device, double fraction);
double memory_fraction(c10::DeviceIndex device);

// Host memory that a program pins itself: torch.cuda.cudart().cudaHostRegister. Both return a cudaError_t, as CUDA's
// functions do; 0 is success.
int register_host(std::uintptr_t address, std::size_t bytes);
int unregister_host(std::uintptr_t address);

}  // namespace sim::slot
