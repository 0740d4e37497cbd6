// Memory of the host that copies to a GPU need not wait for: pinned memory, which is ordinary memory here that is known
// by its address.
#pragma once

#include <c10/core/Allocator.h>

namespace sim::slot {

c10::Allocator* pinned_allocator();
bool is_pinned(const void* address);

}  // namespace sim::slot
