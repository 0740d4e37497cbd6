// The fit of one kind of measurement: which of its numbers it determines, and how well. For calibration.cpp.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"
#include "libsim/fit/calibration/least_squares.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::fit {

struct NumberFit {
    std::vector<const CalibratedNumber*> candidates = {};
    std::size_t most_numbers = 0;  // that may be fitted
    std::string source = {};
    std::function<double(const CalibratedNumber&)> values = {};  // before
    std::function<Vector(const std::vector<const CalibratedNumber*>&, const Vector&)> residuals = {};
};

// Those that the measurements depend on. Numbers are kept one after the other, the least certain of the weakest
// direction of the normal matrix first, until each of the others is known to within 30 %.
std::vector<FoundNumber> fit_numbers(const NumberFit& fit);

}  // namespace sim::fit
