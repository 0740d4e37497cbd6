// A plot is drawn with characters, for a terminal or a pipe: points evenly spaced along x, values from 0 upwards along
// y, in round steps of up to 16 lines.
//
//        2 |               --*
//        1 |        ---*---
//        0 |*---*---
//          +-----------------
//           4 kB    40 kB   …
#pragma once

#include <string>
#include <vector>

namespace sim::report {

struct Curve {
    char mark = '*';             // of a point
    char line = '-';             // between two points
    std::vector<double> values;  // 0 or more, one for each x
};

struct Plot {
    std::vector<std::string> x;  // under each point
    std::vector<Curve> curves;   // a later one is drawn over an earlier one
};

// Requires: each curve has a value for each x, and there is at least one x.
std::string draw(const Plot& plot);

}  // namespace sim::report
