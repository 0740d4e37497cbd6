// The tensors among the values of a call, including those in lists.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <span>

namespace sim::slot {

template <class Is>
bool any_tensor_in(const c10::IValue& value, Is&& is) {
    if (value.isTensor()) {
        return value.toTensor().defined() && is(value.toTensor());
    }
    if (value.isTensorList() || value.isOptionalTensorList()) {
        return std::ranges::any_of(value.toListRef(), [&](const c10::IValue& each) {
            return each.isTensor() && each.toTensor().defined() && is(each.toTensor());
        });
    }
    return false;
}

template <class Is>
bool any_tensor(std::span<const c10::IValue> values, Is&& is) {
    return std::ranges::any_of(values, [&](const c10::IValue& value) { return any_tensor_in(value, is); });
}

template <class Call>
void for_tensors(const c10::IValue& value, Call&& call) {
    any_tensor_in(value, [&](const at::Tensor& tensor) {
        call(tensor);
        return false;
    });
}

}  // namespace sim::slot
