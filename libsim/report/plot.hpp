// A plot is drawn with characters, for a terminal or a pipe: points are evenly spaced along x, values go from 0 upwards
// along y, in round steps, on up to 16 lines.
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
    char mark = '*';             // at a point
    char line = '-';             // between two points
    std::vector<double> values;  // 0 or more, one for each x
};

struct Plot {
    std::vector<std::string> x;  // labels under the points
    std::vector<Curve> curves;   // later ones are drawn over earlier ones
};

// Requires: each curve has a value for each x, and there is at least one x.
std::string draw(const Plot& plot);

}  // namespace sim::report
