// This function draws a timeline as an SVG picture, for pages and slides: what text_timeline.hpp draws, in colours.
//
// It has a row for each rank and used stream, a hatch where a rank waits, arrows of messages where they are few, and
// colours of its own for readers who have chosen a dark screen. The same timeline gives the same bytes.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::report {

struct SvgStyle {
    int width = 1000;       // of the picture
    int most_rows = 64;     // what is left out is counted
    int most_arrows = 200;  // of more messages none is drawn
};

// Cost: spans + ranks + rows x width.
std::string svg_timeline(const Timeline& timeline, const SvgStyle& style = {});

}  // namespace sim::report
