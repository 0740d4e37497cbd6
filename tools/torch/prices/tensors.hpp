// How much memory a kernel touches in a tensor. What lies on the host costs the GPU nothing: its numbers are arguments
// of a kernel.
#pragma once

#include "tools/torch/seam.hpp"

#include <cstdint>

namespace sim::torch::prices {

// `other` (quantised types, pairs of 4 bits) has one byte.
std::int64_t element_bytes(seam::Type type);
bool is_floating(seam::Type type);  // not complex
std::int64_t elements(const seam::Tensor& tensor);
std::int64_t bytes(const seam::Tensor& tensor);  // of the GPU's memory

// Counted from the end: 1 is the last side. A side that is not there is 1.
std::int64_t side_from_end(const seam::Tensor& tensor, int at);

}  // namespace sim::torch::prices
