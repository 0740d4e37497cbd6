// Texts that would exhaust the stack or the time of whoever parses them are refused before: brackets within brackets,
// keys of many parts, and texts without end.
#pragma once

#include <string>

namespace sim::config {

inline constexpr int most_nested = 64;                    // brackets, or parts of a dotted key
inline constexpr std::size_t longest_string = 1U << 20U;  // bytes of one quoted text

enum class Notation : unsigned char { json, toml };

// Throws UsageError with file and line. Cost: one look at each byte.
void check_nesting(const std::string& text, const std::string& file, Notation notation);

}  // namespace sim::config
