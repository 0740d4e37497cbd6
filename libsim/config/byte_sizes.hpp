// Byte sizes are typed as in nccl-tests: K, M, G and T are powers of 1024.
//
//   1M            one size
//   1K,64K,1.5M   a list
// 1K:8G         each twice the one before, as with -b 1K -e 8G -f 2 in nccl-tests
//   1K:8G:4       each four times the one before
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::config {

inline constexpr std::int64_t largest_size = std::int64_t{1} << 50U;  // 1024T

// Returns nothing unless `text` is a whole number of bytes from 1 to largest_size.
std::optional<std::int64_t> byte_size(const std::string& text);

// Throws UsageError, which names `what` ("--sizes") and the part that is wrong.
std::vector<std::int64_t> byte_sizes(const std::string& what, const std::string& text);

// The shortest text that byte_size() reads back: 1K, 1536, 8G.
std::string size_text(std::int64_t bytes);

}  // namespace sim::config
