// The operators of a simulated GPU that allocate memory, change its size, or move data between host and GPU. They do
// not run CPU kernels: a new tensor has a block of the GPU, and a copy takes the time of the host's link.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace sim::slot {

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> type, std::optional<c10::Layout> layout,
                 std::optional<c10::Device> device, std::optional<bool> pinned,
                 std::optional<c10::MemoryFormat> format);
at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> type,
                         std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                         std::optional<bool> pinned);

// A tensor's values on the host, after the simulated host has waited for them.
at::Tensor read_by_host(const at::Tensor& tensor);

void register_memory_kernels(torch::Library& library);

}  // namespace sim::slot
