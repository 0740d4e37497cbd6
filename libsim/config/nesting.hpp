// This check refuses texts that would exhaust a parser's stack or time: deeply nested brackets, keys of many parts, and
// overlong strings.
#pragma once

#include <string>

namespace sim::config {

inline constexpr int most_nested = 64;                    // brackets, or parts of a dotted key
inline constexpr std::size_t longest_string = 1U << 20U;  // bytes of one quoted text

enum class Notation : unsigned char { json, toml };

// Throws UsageError with file and line. Cost: one pass over the bytes.
void check_nesting(const std::string& text, const std::string& file, Notation notation);

}  // namespace sim::config
