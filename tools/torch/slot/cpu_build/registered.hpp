// Host memory that a program pins itself: torch.cuda.cudart().cudaHostRegister.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::slot {

// Both return a cudaError_t, as CUDA's functions do; 0 is success.
int register_host(std::uintptr_t address, std::size_t bytes);
int unregister_host(std::uintptr_t address);

}  // namespace sim::slot
