// Charts as SVG pictures, each a file of its own that any browser shows: curves over sizes, points, and shares of
// wholes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::report {

// Curves over sizes, both axes logarithmic.
// The x axis is marked at powers of two (1K = 1024), the y axis at 1, 2 and 5 times powers of ten, as many as are
// legible. Curves differ in colour and mark, and beyond eight also in their dashes; the legend lists them in the order
// of their last values.
struct ChartCurve {
    std::string name;
    std::vector<double> values;  // one for each x; 0 or less: no point
};

struct Chart {
    std::string title;
    std::string x_title;
    std::string y_title;
    std::vector<std::int64_t> x;  // 1 or more, ascending
    std::vector<ChartCurve> curves;
};

// Requires: at least one x and one value above 0; each curve has a value for each x.
std::string svg_of(const Chart& chart);

// Two costs of each thing: one point each, both axes from 0.
struct ScatterPoint {
    double x = 0;  // x and y are 0 or more
    double y = 0;
    int group = 0;         // index into Scatter::groups
    bool is_best = false;  // drawn large and on top, connected to the other best points
    std::string words;     // shown on hover
};

struct Scatter {
    std::string title;
    std::string x_title;
    std::string y_title;
    std::vector<std::string> groups;  // one colour each
    std::vector<ScatterPoint> points;
    double x_limit = 0;  // draws a dashed line there, with its words; 0: none
    std::string limit_words;
};

// Requires: at least one point, and a valid group for each.
std::string svg_of(const Scatter& scatter);

// The parts of wholes: a bar for each whole, and below it its parts in order, each
// with its colour, amount and share.
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
