// The memory of a tensor that a kernel touches. Tensors on the host cost the GPU nothing: their values are arguments of
// a kernel.
#pragma once

#include "tools/torch/seam.hpp"

#include <cstdint>

namespace sim::torch::prices {

// `other` (quantised types, pairs of 4-bit values) counts one byte.
std::int64_t element_bytes(seam::Type type);
bool is_floating(seam::Type type);  // not complex
std::int64_t elements(const seam::Tensor& tensor);
// Bytes of GPU memory. An expanded dimension (stride 0) counts once, because its values repeat and stay in caches.
std::int64_t bytes(const seam::Tensor& tensor);

// The size of dimension `at`, from the end if negative, as in Python: -1 is the last. 1 for a missing dimension.
std::int64_t side_at(const seam::Tensor& tensor, std::int64_t at);
// The size of a dimension counted from the end: 1 is the last. 1 for a missing dimension.
std::int64_t side_from_end(const seam::Tensor& tensor, int at);

}  // namespace sim::torch::prices
