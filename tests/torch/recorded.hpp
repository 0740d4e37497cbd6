// Calls of operators that were recorded as JSON. A tensor is its type and its sizes, ["bf16", 8, 64], plus "turned" if
// it is not contiguous; with its storage {"of": 3, "at": 0, "is": ["bf16", 8, 64]}. A list of integers is {"i": [...]}.
#pragma once

#include "tests/torch/calls.hpp"

#include <nlohmann/json.hpp>

namespace sim::test {

nlohmann::json recorded(const char* file);  // a file in tests/torch/data
Schema schema_of(const nlohmann::json& op);
std::vector<Given> all_given(const nlohmann::json& values);

}  // namespace sim::test
