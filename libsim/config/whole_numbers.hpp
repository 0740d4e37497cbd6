// A list of whole numbers is typed as "1,2,4", "1e3:1e6" (each ten times the one before, or twice if the ends are less
// than a hundredfold apart) or "1:27:3" (each three times).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::config {

// Parses a whole number of up to 15 digits, also written as 1e6. Returns nothing for any other text.
std::optional<std::int64_t> whole_number(const std::string& text);

// Empty if `text` is not such a list. A range stops at its upper end, or at the last step before it.
std::vector<std::int64_t> whole_numbers(const std::string& text);

}  // namespace sim::config
