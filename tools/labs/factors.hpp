// A wrong number is often the right one times a number of the case: N times too large, or divided by k once too often.
#pragma once

#include "tools/labs/lab.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::labs {

// The numbers by which results of a case are often wrong: its ranks, and its given numbers of items, layers, …
std::vector<Factor> factors_of(const Lab& lab, const Case& played);

// "4 times too large, and 4 is N, the number of ranks". `ratios`: found / right for each case in which the result is
// wrong in every number by one ratio, and none for the others. Returns nullopt if no product or quotient of two factors
// explains all of them.
std::optional<std::string> told_by_factors(const Lab& lab, const std::vector<Case>& cases,
                                           const std::vector<std::optional<double>>& ratios);

// found / right, if it is the same for all numbers, at least one of which is not 0.
std::optional<double> ratio_of(const std::vector<double>& found, const std::vector<double>& right);

}  // namespace sim::labs
