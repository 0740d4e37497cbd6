// Operators of PyTorch's own by the names that native_functions.yaml gives them: "mm.dtype" is aten::mm, overload
// dtype.
#pragma once

#include <ATen/core/operator_name.h>

#include <string>

namespace sim::slot {

c10::OperatorName full_name(const std::string& short_name);
// Empty: it is another library's.
std::string short_name(const c10::OperatorName& full_name);

}  // namespace sim::slot
