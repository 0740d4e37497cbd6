#include "tools/torch/slot/hollow/result_shapes.hpp"

#include "tools/torch/slot/aliases.hpp"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>

#include <optional>

namespace sim::slot {

bool is_mask(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

namespace {

at::Tensor places_of_picked(const at::Tensor& mask) {
    return on_cpu(mask).nonzero();
}

at::Tensor tensor_on_meta(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.layout() != c10::kStrided) {
        return tensor;
    }
    if (tensor.device().is_cpu() && tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        return tensor;  // a Python number
    }
    at::Tensor made(at::detail::empty_strided_meta(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        made.unsafeGetTensorImpl()->set_wrapped_number(true);
    }
    return made;
}

// tensor[indices] has the shape of the indices; a mask acts as indices of its true elements.
c10::IValue meta_of_indices(c10::ArrayRef<c10::IValue> indices) {
    c10::List<std::optional<at::Tensor>> list;
    for (const c10::IValue& each : indices) {
        if (!each.isTensor()) {
            list.push_back(std::nullopt);
        } else if (is_mask(each.toTensor())) {
            const at::Tensor picked = places_of_picked(each.toTensor());
            for (std::int64_t side = 0; side < picked.size(1); ++side) {
                list.push_back(tensor_on_meta(picked.select(1, side)));
            }
        } else {
            list.push_back(tensor_on_meta(each.toTensor()));
        }
    }
    return list;
}

}  // namespace

c10::IValue meta_of(const c10::IValue& value) {
    if (value.isTensor()) {
        return tensor_on_meta(value.toTensor());
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const c10::IValue& each : value.toListRef()) {
            list.push_back(tensor_on_meta(each.toTensor()));
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        return meta_of_indices(value.toListRef());
    }
    if (value.isDevice()) {
        return c10::Device(c10::kMeta);
    }
    return value.isGenerator() ? c10::IValue() : value;
}

at::Tensor picked_by_mask(const at::Tensor& tensor, const at::Tensor& mask) {
    const std::int64_t count =
        on_cpu(mask).expand(at::infer_size(tensor.sizes(), mask.sizes())).sum().item<std::int64_t>();
    return at::empty({count}, at::TensorOptions(tensor.scalar_type()).device(at::kMeta));
}

}  // namespace sim::slot
