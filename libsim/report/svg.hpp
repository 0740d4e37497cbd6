// All SVG pictures share these functions.
#pragma once

#include "libsim/plain_text.hpp"

#include <string>
#include <string_view>

namespace sim::report {

// A text as XML has it between two tags, or two quotes. XML has no control characters.
inline std::string xml_escaped(std::string_view text) {
    std::string safe;
    for (const char c : plain_text(text)) {
        switch (c) {
            case '&': safe += "&amp;"; break;
            case '"': safe += "&quot;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            default: safe += c;
        }
    }
    return safe;
}

// A file of its own. `attributes` are those of the root element: size, font; `elements` end with "\n".
inline std::string svg_picture(std::string_view attributes, std::string_view elements) {
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
    return svg.append(attributes).append(">\n").append(elements).append("</svg>\n");
}

}  // namespace sim::report
