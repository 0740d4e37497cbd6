// A run's options as they were typed or read from a file. Together with the name of the command they reproduce the run
// and its result.
#pragma once

#include "libsim/config/toml_file.hpp"

#include <map>
#include <string>

namespace sim::config {

using Given = std::map<std::string, TomlValue>;

// The value in the form that the command line takes after the option's name: "1,2,4".
std::string typed_text(const TomlValue& value);
// One JSON object, with each value as a boolean, number, text or list.
std::string json_text(const Given& given);
// Inverse of json_text(). Throws UsageError, which begins with `where`, for any other text.
Given given_of_json(const std::string& text, const std::string& where);

}  // namespace sim::config
