// A dict of Python is read as a TOML file is: its keys, with their tables, and their values.
#pragma once

#include "libsim/config/toml_file.hpp"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace sim::python {

// In the order of the dict; `name` stands for the file and the line in errors. Dicts in it are tables, lists of dicts
// are lists of tables. Throws UsageError where a key is no text.
std::vector<config::TomlEntry> entries_of(const pybind11::dict& dict, const std::string& name);

}  // namespace sim::python
