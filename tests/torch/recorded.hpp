// Calls of operators that were recorded as JSON. A tensor is its type and its sides, ["bf16", 8, 64], "turned" where it
// is not contiguous; with its storage {"of": 3, "at": 0, "is": ["bf16", 8, 64]}. Numbers of a list stand in {"i":
// [...]}.
#pragma once

#include "tests/torch/calls.hpp"

#include <nlohmann/json.hpp>

namespace sim::test {

nlohmann::json recorded(const char* file);  // of tests/torch/data
Schema schema_of(const nlohmann::json& op);
std::vector<Given> all_given(const nlohmann::json& values);

}  // namespace sim::test
