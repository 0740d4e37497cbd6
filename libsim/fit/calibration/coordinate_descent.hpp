// Coordinate descent minimizes a function of a few numbers, one number at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sim::fit {

struct DescentCoordinate {
    double value = 0;
    double lowest = 0;
    double highest = 1;
    double step = 0;  // initial step; halved if neither direction improves, increased by half if one does
};

struct Descent {
    std::vector<double> values;
    double least = 0;
    int calls = 0;  // function calls
};

// Calls `function` once, and then at most twice per number and pass; never out of bounds. Stops early when a pass
// changes less than a thousandth of every first step. `on_pass` receives the least value after each.
Descent coordinate_descent(std::vector<DescentCoordinate> coordinates, int passes,
                           const std::function<double(const std::vector<double>&)>& function,
                           const std::function<void(int pass, double least)>& on_pass = nullptr);

}  // namespace sim::fit
