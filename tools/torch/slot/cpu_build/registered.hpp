// Memory of the host that a program pins by itself: torch.cuda.cudart().cudaHostRegister.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::slot {

// Both return what CUDA's function does: 0, or an error's number.
int register_host(std::uintptr_t address, std::size_t bytes);
int unregister_host(std::uintptr_t address);

}  // namespace sim::slot
