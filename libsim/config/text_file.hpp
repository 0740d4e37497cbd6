// A file of the user's as one text.
#pragma once

#include <string>

namespace sim::scenarios {

// `kind` says in complaints what the file should have been: "a TOML file". Throws UsageError: a folder, or it cannot be
// read.
std::string read_text(const std::string& file, const std::string& kind);

}  // namespace sim::scenarios
