// A scatter shows what things cost in two ways at once, as an SVG picture: a point for each, both axes from 0.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

struct ScatterPoint {
    double x = 0;  // 0 or more, as y
    double y = 0;
    int group = 0;         // of Scatter::groups
    bool is_best = false;  // drawn large, on top, and joined to the others that are
    std::string words;     // shown when it is pointed at
};

struct Scatter {
    std::string title;
    std::string x_title;
    std::string y_title;
    std::vector<std::string> groups;  // each has a colour
    std::vector<ScatterPoint> points;
    double x_limit = 0;  // a dashed line, with its words; 0: none
    std::string limit_words;
};

// Requires: a point, and each of a group.
std::string svg_of(const Scatter& scatter);

}  // namespace sim::report
