// This function makes a JSON text harmless within an element of HTML.
#pragma once

#include <string>
#include <string_view>

namespace sim::report {

// Nothing in it ends an element, or begins a comment there.
inline std::string inert(std::string_view json) {
    std::string safe;
    safe.reserve(json.size());
    for (const char c : json) {
        c == '<' ? safe += "\\u003c" : safe += c;
    }
    return safe;
}

}  // namespace sim::report
