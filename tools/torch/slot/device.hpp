// The devices, streams and memory that the slot needs from its build of PyTorch.
//
// In a build for CUDA they are PyTorch's own (libc10_cuda, over the simulated CUDA runtime of cuda_build/); in a build
// for the CPU they are ours (cpu_build/). The rest of the slot is the same for both.
#pragma once

#include "tools/torch/slot/seam_table.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace sim::slot {

c10::DeviceIndex current_device();
void use_device(c10::DeviceIndex device);
c10::Stream current_stream(c10::DeviceIndex device);
seam::Stream stream_of(const c10::Stream& stream);

// A block of a device's memory, from PyTorch's caching allocator or one with its rules. Nobody touches its contents, so
// that it costs only addresses. Throws PyTorch's OutOfMemoryError if the simulated GPU is full.
c10::DataPtr block_of(std::size_t bytes, c10::DeviceIndex device);
// Keeps the block from being reused before this stream reaches its present end.
void record_stream(const c10::DataPtr& block, const c10::Stream& stream);
// A private pool for memory that is allocated on some streams between begin and end. It stays private until it has been
// released as often as it was begun.
using PoolId = std::pair<unsigned long long, unsigned long long>;
PoolId new_pool(bool is_users);
void begin_pool(c10::DeviceIndex device, PoolId pool, std::function<bool(seam::Stream)> is_its_stream);
void end_pool(c10::DeviceIndex device, PoolId pool);
void release_pool(c10::DeviceIndex device, PoolId pool);
// The allocator that storages refer to.
c10::Allocator* device_allocator();

// Whether the program itself has pinned this host memory, with cudaHostRegister or similar.
bool is_pinned_by_program(const void* address);

// Pinned host memory, which copies to a GPU need not wait for. Here it is ordinary memory, recognized by its address.
c10::Allocator* pinned_allocator();
bool is_pinned(const void* address);

}  // namespace sim::slot
