// The fit of one kind of measurement: which of its numbers it determines, and how well. Only calibration.cpp uses it.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"
#include "libsim/fit/calibration/least_squares.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::fit {

struct NumberFit {
    std::vector<const CalibratedNumber*> candidates = {};
    std::size_t most_numbers = 0;  // at most this many are fitted
    std::string source = {};
    std::function<double(const CalibratedNumber&)> values = {};  // before the fit
    std::function<Vector(const std::vector<const CalibratedNumber*>&, const Vector&)> residuals = {};
};

// Returns the numbers that the measurements depend on. Keeps numbers one after the other, each time the one with the
// largest part in the weakest direction of the normal matrix, until all others are known to within 30 %.
std::vector<FoundNumber> fit_numbers(const NumberFit& fit);

}  // namespace sim::fit
