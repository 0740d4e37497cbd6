// Bars show what wholes are made of, as one SVG picture: a bar for each whole, and below it its parts in their order,
// each with its colour, its amount and its share.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

struct SharePart {
    std::string name;
    double value = 0;         // in the whole's unit; 0 or less is left out
    std::string amount;       // the same as text, with its unit
    std::string colour = "";  // "#0072B2"; empty: by its place in the bar
};

struct ShareBar {
    std::string title;
    double whole = 0;  // at least what its parts add up to; what they leave of it stays empty
    std::vector<SharePart> parts;
};

// Requires: wholes above 0.
std::string svg_of(const std::string& title, const std::vector<ShareBar>& bars);

}  // namespace sim::report
