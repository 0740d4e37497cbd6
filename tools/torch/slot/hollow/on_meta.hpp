// Arguments of an operator without their values: tensors on the meta device, which have only shapes.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace sim::slot {

// Whether an index of this type is a mask, which picks true elements, and not a list of positions.
bool is_mask(const at::Tensor& tensor);

// Reads masks among indices and replaces them by indices of their true elements.
c10::IValue meta_of(const c10::IValue& value);

// The shape of masked_select's result.
at::Tensor picked_by_mask(const at::Tensor& tensor, const at::Tensor& mask);

}  // namespace sim::slot
