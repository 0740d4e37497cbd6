#include "libsim/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

namespace {

// The length in bytes of the UTF-8 character at the start of `text`; 0: there is none.
std::size_t bytes_of_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t bytes = first < 0x80U   ? 1
                              : first < 0xc2U ? 0
                              : first < 0xe0U ? 2
                              : first < 0xf0U ? 3
                              : first < 0xf5U ? 4
                                              : 0;
    if (bytes > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
            return 0;
        }
    }
    return bytes;
}

}  // namespace

std::string plain_text(std::string_view text) {
    const bool is_plain = std::ranges::all_of(
        text, [](char c) { return (c >= ' ' && c != 0x7f && static_cast<unsigned char>(c) < 0x80U) || c == '\n'; });
    if (is_plain) {
        return std::string(text);
    }
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = bytes_of_character(text);
        const auto first = static_cast<unsigned char>(text.front());
        const auto last = static_cast<unsigned char>(text[bytes == 0 ? 0 : bytes - 1]);
        const bool is_c0 = bytes == 1 && ((first < 0x20U && first != '\n' && first != '\t') || first == 0x7fU);
        const bool is_c1 = bytes == 2 && first == 0xc2U && last < 0xa0U;
        if (is_c0 || is_c1 || bytes == 0) {
            plain += fmt::format("\\x{:02x}", last);
        } else {
            plain += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return plain;
}

}  // namespace sim
