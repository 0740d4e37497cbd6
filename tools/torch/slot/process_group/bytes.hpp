// Conversion of tensors to bytes for other ranks, and back. This is the host's own work and costs no simulated time.
#pragma once

#include "tools/torch/seam.hpp"

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <span>
#include <string>
#include <vector>

namespace sim::slot {

using Tensors = std::vector<at::Tensor>;
using Parts = std::span<const seam::Bytes>;

std::int64_t bytes_of(const Tensors& tensors);
// Concatenates the tensors into one contiguous CPU tensor; a single contiguous tensor is used in place. In a hollow run
// nothing if they are large.
at::Tensor packed(const Tensors& tensors);
// Writes bytes into tensors, one after another. Requires: as many bytes as the tensors have.
void unpack(const void* bytes, const Tensors& tensors);
// The elements of a part, valid as long as the part.
at::Tensor elements(const seam::Bytes& part, c10::ScalarType type);

// Reduces all parts, in the order of ranks.
at::Tensor reduced(Parts parts, c10::ScalarType type, const c10d::ReduceOp& op);
// The input times the rank's own factor for ReduceOp.PREMUL_SUM; otherwise the input.
at::Tensor premultiplied(const at::Tensor& input, const c10d::ReduceOp& op);
// Throws if the reduction does not support this type.
void check_reduction(const c10d::ReduceOp& op, c10::ScalarType type, bool is_nccl);
std::string name_of(const c10d::ReduceOp& op);

}  // namespace sim::slot
