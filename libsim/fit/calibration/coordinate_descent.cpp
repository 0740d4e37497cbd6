#include "libsim/fit/calibration/coordinate_descent.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::fit {
namespace {

class Search {
public:
    Search(const std::vector<DescentCoordinate>& coordinates,
           const std::function<double(const std::vector<double>&)>& function)
        : function_(function) {
        for (const DescentCoordinate& c : coordinates) {
            result_.values.push_back(std::clamp(c.value, c.lowest, c.highest));
        }
        result_.least = call(result_.values);
    }

    // Moves to the better neighbour, and returns whether there is one.
    bool improve(std::size_t i, const DescentCoordinate& c) {
        for (const double step : std::array{c.step, -c.step}) {
            std::vector<double> values = result_.values;
            values[i] = std::clamp(values[i] + step, c.lowest, c.highest);
            if (values[i] == result_.values[i]) {
                continue;
            }
            const double there = call(values);
            if (there < result_.least) {
                result_.least = there;
                result_.values = values;
                return true;
            }
        }
        return false;
    }
    const Descent& result() const { return result_; }

private:
    double call(const std::vector<double>& values) {
        ++result_.calls;
        return function_(values);
    }

    const std::function<double(const std::vector<double>&)>& function_;
    Descent result_;
};

}  // namespace

Descent coordinate_descent(std::vector<DescentCoordinate> coordinates, int passes,
                           const std::function<double(const std::vector<double>&)>& function,
                           const std::function<void(int pass, double least)>& on_pass) {
    Search search(coordinates, function);
    const std::vector<DescentCoordinate> first = coordinates;
    for (int pass = 1; pass <= passes; ++pass) {
        bool goes_on = false;
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            DescentCoordinate& c = coordinates[i];
            const bool better = search.improve(i, c);
            c.step *= better ? 1.5 : 0.5;
            goes_on = goes_on || std::abs(c.step) > std::abs(first[i].step) / 1000;
        }
        if (on_pass) {
            on_pass(pass, search.result().least);
        }
        if (!goes_on) {
            break;
        }
    }
    return search.result();
}

}  // namespace sim::fit
