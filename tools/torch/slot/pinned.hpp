// Pinned host memory, which copies to a GPU need not wait for. Here it is ordinary memory, recognized by its address.
#pragma once

#include <c10/core/Allocator.h>

namespace sim::slot {

c10::Allocator* pinned_allocator();
bool is_pinned(const void* address);

}  // namespace sim::slot
