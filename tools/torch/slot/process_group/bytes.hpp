// Tensors as bytes, on their way to other ranks and back. All of it is the host's own work, which costs no simulated
// time.
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
// The tensors one after another, as one contiguous tensor of the CPU: in place, where one contiguous tensor is all. In
// a hollow run nothing, where they are large.
at::Tensor packed(const Tensors& tensors);
// Writes bytes into tensors, one after another. Requires: there are as many.
void unpack(const void* bytes, const Tensors& tensors);
// The elements of a part, to be read while it is valid.
at::Tensor elements(const seam::Bytes& part, c10::ScalarType type);

// What all parts make together: added up in the order of ranks.
at::Tensor reduced(Parts parts, c10::ScalarType type, const c10d::ReduceOp& op);
// What a rank brings to ReduceOp.PREMUL_SUM, which has a factor of each rank's own; else the input.
at::Tensor premultiplied(const at::Tensor& input, const c10d::ReduceOp& op);
// Throws where the reduction cannot be done for this type.
void check_reduction(const c10d::ReduceOp& op, c10::ScalarType type, bool is_nccl);
std::string name_of(const c10d::ReduceOp& op);

}  // namespace sim::slot
