// Given are a run's options as they were typed or read from a file: with the name of its command they say how to run it
// again, with the same result.
#pragma once

#include "libsim/config/toml_file.hpp"

#include <map>
#include <string>

namespace sim::config {

using Given = std::map<std::string, TomlValue>;

// A value as it is typed behind the option's name: "1,2,4".
std::string typed_text(const TomlValue& value);
// As one JSON object, each value as a boolean, number, text or list.
std::string json_text(const Given& given);
// What json_text() wrote. Throws UsageError, which begins with `where`, for what it never writes.
Given given_of_json(const std::string& text, const std::string& where);

}  // namespace sim::config
