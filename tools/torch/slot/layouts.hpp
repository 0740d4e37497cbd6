// Layouts without strides, made of strided tensors: sparse tensors of indices and values, and nested tensors on one
// buffer. On a GPU their parts are on the GPU; a nested tensor's sizes are on the host.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

namespace sim::slot {

bool has_strides(const at::Tensor& tensor);

// The tensor that holds the memory: the tensor itself, its values, or the buffer of a nested one.
at::Tensor memory_of(const at::Tensor& tensor);

using ForPart = c10::function_ref<at::Tensor(const at::Tensor&)>;

// A tensor of the same layout and sizes from other parts, on `device`.
at::Tensor rebuilt(const at::Tensor& model, c10::Device device, ForPart part);

// Whether `tensor` has the sizes of `model`, and consists of `part` applied to the parts of `model`.
bool is_rebuilt(const at::Tensor& tensor, const at::Tensor& model, ForPart part);

// Makes `tensor` equal rebuilt(model, its own device, part), after an operator has written to it.
void rebuild(const at::Tensor& tensor, const at::Tensor& model, ForPart part);

}  // namespace sim::slot
