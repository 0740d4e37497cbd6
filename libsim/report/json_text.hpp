// This function quotes any bytes as a JSON string; invalid UTF-8 is replaced.
#pragma once

#include <string>

namespace sim::report {

std::string json_text(const std::string& text);

}  // namespace sim::report
