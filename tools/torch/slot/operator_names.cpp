#include "tools/torch/slot/operator_names.hpp"

#include <string_view>

namespace sim::slot {

namespace {

// constexpr because it is used while libraries are loaded, possibly before this file's objects are initialized.
constexpr std::string_view prefix = "aten::";

}  // namespace

c10::OperatorName full_name(const std::string& short_name) {
    const std::size_t dot = short_name.find('.');
    return dot == std::string::npos
               ? c10::OperatorName(std::string(prefix) + short_name, "")
               : c10::OperatorName(std::string(prefix) + short_name.substr(0, dot), short_name.substr(dot + 1));
}

std::string short_name(const c10::OperatorName& full_name) {
    if (full_name.name.rfind(prefix, 0) != 0) {
        return "";
    }
    const std::string name = full_name.name.substr(prefix.size());
    return full_name.overload_name.empty() ? name : name + '.' + full_name.overload_name;
}

}  // namespace sim::slot
