// Functions that all SVG pictures share.
#pragma once

#include "libsim/plain_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace sim::report {

// Escapes a text for use between XML tags or quotes. Drops control characters, which XML does not allow.
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

// A line of text; `anchor` is start, middle or end; `more` holds further attributes, with a leading space.
inline std::string svg_text(double x, double y, std::string_view anchor, std::string_view text,
                            std::string_view more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                       xml_escaped(text));
}

// `style` holds attributes: "stroke=\"#444444\"".
inline std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

// The distance between the marks of an axis from 0 to `length`: 1, 2 or 5 times a power of ten, with at most eight
// marks. Requires: length above 0.
inline double svg_tick(double length) {
    double tick = std::pow(10, std::floor(std::log10(length)) - 1);
    for (const double next : {2.0, 2.5, 2.0, 2.0, 2.5, 2.0}) {
        if (length / tick <= 8) {
            break;
        }
        tick *= next;
    }
    return tick;
}

// A complete SVG file. `attributes` are those of the root element, such as size and font; `elements` end with "\n".
inline std::string svg_picture(std::string_view attributes, std::string_view elements) {
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
    return svg.append(attributes).append(">\n").append(elements).append("</svg>\n");
}

}  // namespace sim::report
