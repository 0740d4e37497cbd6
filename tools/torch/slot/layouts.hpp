// Tensors without strides of their own, which are made of strided ones: sparse tensors of indices and values, and
// nested tensors on one buffer. On a GPU their parts lie on the GPU; what a nested tensor knows of its sizes lies on
// the host.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

namespace sim::slot {

bool has_strides(const at::Tensor& tensor);

// What stands for the memory of a tensor: itself, its values, or the buffer of a nested one.
at::Tensor memory_of(const at::Tensor& tensor);

using ForPart = c10::function_ref<at::Tensor(const at::Tensor&)>;

// A tensor of the same layout and sizes, of other parts, which lie on `device`.
at::Tensor rebuilt(const at::Tensor& model, c10::Device device, ForPart part);

// Whether `tensor` is made of what `part` makes of the parts of `model`, and has its sizes.
bool is_rebuilt(const at::Tensor& tensor, const at::Tensor& model, ForPart part);

// `tensor` becomes what rebuilt(model, its own device, part) is: an operator has written to it.
void rebuild(const at::Tensor& tensor, const at::Tensor& model, ForPart part);

}  // namespace sim::slot
