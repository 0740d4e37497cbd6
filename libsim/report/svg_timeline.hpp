// This function draws a timeline as an SVG picture for pages and slides: the picture of text_timeline.hpp, in colours.
//
// It has a row for each rank and used stream, hatching while a rank waits, arrows for messages if they are few, and
// separate colours for dark mode. The same timeline gives the same bytes.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::report {

struct SvgStyle {
    int width = 1000;       // of the picture, in pixels
    int most_rows = 64;     // rows beyond these are only counted
    int most_arrows = 200;  // with more messages, no arrows are drawn
};

// Cost: spans + ranks + rows x width.
std::string svg_timeline(const Timeline& timeline, const SvgStyle& style = {});

}  // namespace sim::report
