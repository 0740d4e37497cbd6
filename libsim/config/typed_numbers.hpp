// These functions read numbers as people type them: whole numbers, byte sizes and durations, alone or in lists.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::config {

// Parses a whole number of up to 15 digits, also written as 1e6. Returns nothing for any other text.
std::optional<std::int64_t> whole_number(const std::string& text);

// A list of whole numbers is typed as "1,2,4", "1e3:1e6" (each ten times the one before, or twice if the ends are less
// than a hundredfold apart) or "1:27:3" (each three times). Empty if `text` is not such a list. A range stops at its
// upper end, or at the last step before it.
std::vector<std::int64_t> whole_numbers(const std::string& text);

// Byte sizes are typed as in nccl-tests: K, M, G and T are powers of 1024.
//
//   1M            one size
//   1K,64K,1.5M   a list
//   1K:8G         each twice the one before, as with -b 1K -e 8G -f 2 in nccl-tests
//   1K:8G:4       each four times the one before
inline constexpr std::int64_t largest_size = std::int64_t{1} << 50U;  // 1024T

// Returns nothing unless `text` is a whole number of bytes from 1 to largest_size.
std::optional<std::int64_t> byte_size(const std::string& text);

// Throws UsageError, which names `what` ("--sizes") and the part that is wrong.
std::vector<std::int64_t> byte_sizes(const std::string& what, const std::string& text);

// The shortest text that byte_size() reads back: 1K, 1536, 8G.
std::string size_text(std::int64_t bytes);

// A duration is typed as a number and its unit: 120ms, 1.5 s, 20us. Units: ps, ns, us, ms, s, min and h.
// Rounds to the nearest picosecond. Returns nothing if `text` is not a duration, or exceeds simulated time.
std::optional<Duration> duration_of_text(const std::string& text);

}  // namespace sim::config
