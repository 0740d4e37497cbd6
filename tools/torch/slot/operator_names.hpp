// PyTorch's own operators by their names in native_functions.yaml: "mm.dtype" is aten::mm, overload dtype.
#pragma once

#include <ATen/core/operator_name.h>

#include <string>

namespace sim::slot {

c10::OperatorName full_name(const std::string& short_name);
// Empty for an operator of another library.
std::string short_name(const c10::OperatorName& full_name);

}  // namespace sim::slot
