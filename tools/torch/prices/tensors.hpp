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
// Of the GPU's memory. A side that is expanded (a stride of 0) is the same numbers again, which the caches hold.
std::int64_t bytes(const seam::Tensor& tensor);

// Counted from the end where it is negative, as a script says it: -1 is the last side. A side that is not there is 1.
std::int64_t side_at(const seam::Tensor& tensor, std::int64_t at);
// Counted from the end: 1 is the last side. A side that is not there is 1.
std::int64_t side_from_end(const seam::Tensor& tensor, int at);

}  // namespace sim::torch::prices
