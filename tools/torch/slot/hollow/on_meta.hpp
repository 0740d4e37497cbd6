// Arguments of an operator without their numbers: tensors of the device meta, which have shapes alone.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace sim::slot {

// Whether an index of this type picks places that are set, rather than those that it counts.
bool is_mask(const at::Tensor& tensor);

// Masks among indices are read: they become indices of as many places as are set.
c10::IValue meta_of(const c10::IValue& value);

// What masked_select gives back.
at::Tensor picked_by_mask(const at::Tensor& tensor, const at::Tensor& mask);

}  // namespace sim::slot
