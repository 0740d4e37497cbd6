// A list of whole numbers is typed as "1,2,4", "1e3:1e6" (each ten times the one before; where the ends are less than a
// hundredfold apart, twice) or "1:27:3" (each three times).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::config {

// The number that `text` is, also as 1e6; none where it is none, or no whole one of up to 15 digits.
std::optional<std::int64_t> whole_number(const std::string& text);

// Empty where `text` is no such list. A range ends with its upper end, or before it where no step meets it.
std::vector<std::int64_t> whole_numbers(const std::string& text);

}  // namespace sim::config
