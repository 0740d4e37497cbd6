// A chart draws curves over sizes as an SVG picture, both axes logarithmic: a file of its own that any browser shows.
//
// The x axis is marked at powers of two (1K = 1024), the y axis at 1, 2 and 5 times powers of ten, as many as are
// legible. Curves differ in colour and mark, and beyond eight also in their dashes; the legend lists them in the order
// of their last values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::report {

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

}  // namespace sim::report
