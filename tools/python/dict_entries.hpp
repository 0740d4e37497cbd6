// Reads a Python dict like a TOML file: keys qualified by their tables, and values.
#pragma once

#include "libsim/config/toml_file.hpp"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace sim::python {

// In the dict's order; `name` stands for file and line in errors. Nested dicts are tables, lists of dicts are lists of
// tables. Throws UsageError if a key is not a string.
std::vector<config::TomlEntry> entries_of(const pybind11::dict& dict, const std::string& name);

}  // namespace sim::python
