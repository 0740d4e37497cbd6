#include "tools/torch/slot/layouts.hpp"

#include <ATen/ATen.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/native/nested/NestedTensorUtils.h>
#include <c10/core/DeviceGuard.h>

namespace sim::slot {

namespace {

using at::Tensor;
using c10::DispatchKey;

at::SparseTensorImpl* coordinates(const Tensor& tensor) {
    return static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
}

at::SparseCsrTensorImpl* compressed(const Tensor& tensor) {
    return static_cast<at::SparseCsrTensorImpl*>(tensor.unsafeGetTensorImpl());
}

void fill_coordinates(const Tensor& made, const Tensor& model, ForPart part) {
    const at::SparseTensorImpl& from = *coordinates(model);
    at::SparseTensorImpl& to = *coordinates(made);
    to.raw_resize_(from.sparse_dim(), from.dense_dim(), from.sizes());
    to.set_indices_and_values_unsafe(part(from.indices()), part(from.values()));
    to.set_coalesced(from.coalesced());
}

void fill_compressed(const Tensor& made, const Tensor& model, ForPart part) {
    const at::SparseCsrTensorImpl& from = *compressed(model);
    compressed(made)->set_member_tensors(part(from.compressed_indices()), part(from.plain_indices()),
                                         part(from.values()), from.sizes());
}

}  // namespace

bool has_strides(const Tensor& tensor) {
    return tensor.layout() == c10::kStrided && !tensor.is_nested();
}

Tensor memory_of(const Tensor& tensor) {
    if (tensor.is_nested()) {
        return at::native::get_nested_tensor_impl(tensor)->get_unsafe_storage_as_tensor();
    }
    if (tensor.layout() == c10::kStrided) {
        return tensor;
    }
    return tensor.layout() == c10::kSparse ? coordinates(tensor)->values() : compressed(tensor)->values();
}

Tensor rebuilt(const Tensor& model, c10::Device device, ForPart part) {
    const bool on_gpu = device.is_cuda();
    if (model.is_nested()) {
        const auto* const from = at::native::get_nested_tensor_impl(model);
        return at::detail::make_tensor<at::native::NestedTensorImpl>(
            part(from->get_unsafe_storage_as_tensor()), from->get_nested_sizes(), from->get_nested_strides(),
            from->get_storage_offsets());
    }
    // An empty sparse tensor also has parts.
    const c10::DeviceGuard there(device);
    if (model.layout() == c10::kSparse) {
        Tensor made = at::detail::make_tensor<at::SparseTensorImpl>(
            c10::DispatchKeySet(on_gpu ? DispatchKey::SparseCUDA : DispatchKey::SparseCPU), model.dtype());
        fill_coordinates(made, model, part);
        return made;
    }
    Tensor made = at::detail::make_tensor<at::SparseCsrTensorImpl>(
        c10::DispatchKeySet(on_gpu ? DispatchKey::SparseCsrCUDA : DispatchKey::SparseCsrCPU), device, model.layout(),
        model.dtype());
    fill_compressed(made, model, part);
    return made;
}

bool is_rebuilt(const Tensor& tensor, const Tensor& model, ForPart part) {
    if (tensor.is_nested()) {
        return true;  // its sizes never change
    }
    if (tensor.sizes() != model.sizes()) {
        return false;
    }
    if (tensor.layout() == c10::kSparse) {
        const at::SparseTensorImpl& from = *coordinates(model);
        const at::SparseTensorImpl& to = *coordinates(tensor);
        return to.indices().is_same(part(from.indices())) && to.values().is_same(part(from.values())) &&
               to.coalesced() == from.coalesced();
    }
    const at::SparseCsrTensorImpl& from = *compressed(model);
    const at::SparseCsrTensorImpl& to = *compressed(tensor);
    return to.compressed_indices().is_same(part(from.compressed_indices())) &&
           to.plain_indices().is_same(part(from.plain_indices())) && to.values().is_same(part(from.values()));
}

void rebuild(const Tensor& tensor, const Tensor& model, ForPart part) {
    (tensor.layout() == c10::kSparse ? fill_coordinates : fill_compressed)(tensor, model, part);
}

}  // namespace sim::slot
