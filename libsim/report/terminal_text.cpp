#include "libsim/report/terminal_text.hpp"

#include "libsim/split.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sim::report {

namespace {

struct CodeRange {
    std::uint32_t first;
    std::uint32_t last;
};

// Characters two columns wide: East Asian Wide and Fullwidth of Unicode's annex 11, in blocks, and emoji.
constexpr auto wide = std::to_array<CodeRange>({{0x1100, 0x115f},
                                                {0x2e80, 0x303e},
                                                {0x3041, 0xa4cf},
                                                {0xa960, 0xa97f},
                                                {0xac00, 0xd7a3},
                                                {0xf900, 0xfaff},
                                                {0xfe30, 0xfe6f},
                                                {0xff00, 0xff60},
                                                {0xffe0, 0xffe6},
                                                {0x1f300, 0x1f64f},
                                                {0x1f680, 0x1f6ff},
                                                {0x1f900, 0x1f9ff},
                                                {0x20000, 0x3fffd}});

// Control characters, and characters without a column of their own: joiners, combining marks, changes of direction.
constexpr auto harmful = std::to_array<CodeRange>(
    {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x300, 0x36f},     {0x483, 0x489},   {0x591, 0x5c7},
     {0x600, 0x605},   {0x610, 0x61c},   {0x64b, 0x65f},   {0x1160, 0x11ff},   {0x180b, 0x180f}, {0x1ab0, 0x1aff},
     {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x20d0, 0x20ff}, {0xd800, 0xf8ff},
     {0xfe00, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff0, 0xffff}, {0xe0000, 0x10ffff}});

template <std::size_t size>
bool is_in(const std::array<CodeRange, size>& ranges, std::uint32_t code) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const CodeRange& range) { return range.first <= code && code <= range.last; });
}

struct Character {
    std::string_view bytes;
    std::uint32_t code = 0;  // 0: invalid UTF-8

    int columns() const { return is_in(wide, code) ? 2 : 1; }
};

// The first character of `text`, which must not be empty.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5U == 6 ? 2 : lead >> 4U == 14 ? 3 : lead >> 3U == 30 ? 4 : 0;
    if (length == 1) {
        return {text.substr(0, 1), lead};
    }
    if (length == 0 || length > text.size()) {
        return {text.substr(0, 1), 0};
    }
    std::uint32_t code = lead & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return {text.substr(0, 1), 0};
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    return code < least[length] ? Character{text.substr(0, 1), 0} : Character{text.substr(0, length), code};
}

}  // namespace

std::string terminal_text(std::string_view text, int columns, bool ascii) {
    std::string shown;
    int taken = 0;
    std::size_t cut_at = 0;  // the last place where the mark of a cut fits
    while (!text.empty()) {
        Character next = first_character(text);
        text.remove_prefix(next.bytes.size());
        if (is_in(harmful, next.code) || (ascii && next.code >= 0x80)) {
            next = {"?", '?'};
        }
        if (taken + next.columns() > columns) {
            shown.resize(cut_at);
            return columns < 1 ? "" : shown + (ascii ? "~" : "…");
        }
        shown += next.bytes;
        taken += next.columns();
        cut_at = taken < columns ? shown.size() : cut_at;
    }
    return shown;
}

int columns_of(std::string_view text) {
    int columns = 0;
    while (!text.empty()) {
        const Character next = first_character(text);
        text.remove_prefix(next.bytes.size());
        columns += next.columns();
    }
    return columns;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t margin) {
    const std::string blanks(margin, ' ');
    std::string result;
    std::string line;
    for (const std::string& word : split(text, ' ')) {
        const std::string clean = terminal_text(word, 1 << 20);
        const auto columns = static_cast<std::size_t>(columns_of(line) + columns_of(clean)) + 1;
        if (!line.empty() && columns + margin > width) {
            result += blanks + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + clean;
    }
    return line.empty() ? result : result + blanks + line + "\n";
}

}  // namespace sim::report
