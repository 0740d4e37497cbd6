// Coordinate descent minimizes a function of a few numbers, one number after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct DescentCoordinate {
    double value = 0;
    double lowest = 0;
    double highest = 1;
    double step = 0;  // the first one; halved where neither direction is better, lengthened by half where one is
};

struct Descent {
    std::vector<double> values;
    double least = 0;
    int calls = 0;  // of the function
};

// Calls `function` once, and then at most twice per number and pass; never outside of the bounds. Stops early when a
// pass changes less than a thousandth of every first step. `on_pass` gets the least after each.
Descent coordinate_descent(std::vector<DescentCoordinate> coordinates, int passes,
                           const std::function<double(const std::vector<double>&)>& function,
                           const std::function<void(int pass, double least)>& on_pass = nullptr);

}  // namespace sim::tools
