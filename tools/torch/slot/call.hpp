// A call of an operator as the seam tells of it: its arguments and results with their shapes and types, and nothing of
// their numbers.
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

// Whether it is a kernel: what gives back views of its arguments, or facts of them, launches nothing.
bool launches(const c10::FunctionSchema& schema);

// The facts of values, which must outlive it: they refer to the tensors' own sizes.
class Facts {
public:
    void add(const c10::IValue& value);
    void add(const at::Tensor& tensor);
    // Valid until something is added.
    std::span<const seam::Value> values();

private:
    void add_facts(const at::Tensor& tensor);

    // `tensors` and `integers` of a value are set when all are there, since both lists may move until then.
    c10::SmallVector<seam::Value, 16> values_;
    c10::SmallVector<seam::Tensor, 16> tensors_;
    c10::SmallVector<std::int64_t, 16> integers_;
    std::vector<at::Tensor> kept_;
};

}  // namespace sim::slot
