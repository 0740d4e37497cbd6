// Share bars show the parts of wholes as one SVG picture: a bar for each whole, and below it its parts in order, each
// with its colour, amount and share.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

struct SharePart {
    std::string name;
    double value = 0;         // in the unit of the whole; 0 or less is left out
    std::string amount;       // the value as text, with its unit
    std::string colour = "";  // "#0072B2"; empty: chosen by place in the bar
};

struct ShareBar {
    std::string title;
    double whole = 0;  // at least the sum of the parts; the rest of the bar stays empty
    std::vector<SharePart> parts;
};

// Requires: every whole is above 0.
std::string svg_of(const std::string& title, const std::vector<ShareBar>& bars);

}  // namespace sim::report
