// The data of a comparison on a page, as JSON.
#pragma once

#include "libsim/report/comparison.hpp"

#include <string>

namespace sim::report {

// Safe within any element of HTML; "null" where there is none.
std::string comparison_data(const Comparison* comparison);

}  // namespace sim::report
