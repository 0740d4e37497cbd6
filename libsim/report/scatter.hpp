// A scatter plot shows two costs of each thing as an SVG picture: one point each, both axes from 0.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

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

}  // namespace sim::report
