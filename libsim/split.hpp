// split() returns the parts of a text between its separators, for lists on command lines and orders of axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim {

// "1,2,,4" at ',': "1", "2", "", "4". An empty text has one empty part.
inline std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace sim
