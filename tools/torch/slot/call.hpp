// A call of an operator in the form of the seam: its arguments and results with shapes and types, but without values.
#pragma once

#include "tools/torch/seam.hpp"

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include <span>
#include <vector>

namespace sim::slot {

seam::Type type_of(c10::ScalarType type);
seam::Tensor facts_of(const at::Tensor& tensor);

// Whether the operator launches a kernel; one that only returns views of its arguments, or facts about them, does not.
bool launches(const c10::FunctionSchema& schema);

// The facts about values. The values must outlive it, because the facts refer to the tensors' own sizes.
class Facts {
public:
    void add(const c10::IValue& value);
    void add(const at::Tensor& tensor);
    // Valid until the next add().
    std::span<const seam::Value> values();

private:
    void add_facts(const at::Tensor& tensor);

    // The pointers `tensors` and `integers` of a value are set last, because both lists may move until then.
    c10::SmallVector<seam::Value, 16> values_;
    c10::SmallVector<seam::Tensor, 16> tensors_;
    c10::SmallVector<std::int64_t, 16> integers_;
    std::vector<at::Tensor> kept_;
};

}  // namespace sim::slot
