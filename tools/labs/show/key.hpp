// A key tells an instructor about a lab and a seed: the results of a right program, and the mistakes that are
// diagnosed.
#pragma once

#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// Keys are for those who have the solutions: `source` is ndsim's source tree, whose solution of this lab must match the
// one compiled into this program. Throws UsageError.
void check_source(const Lab& lab, const std::string& source);

// Every number that the checks expect, by case, the right prediction, and the known mistakes with their texts.
std::string key_text(const Lab& lab, std::uint64_t seed);
// The timeline of the right program in the first case, as SVG.
std::string key_picture(const Lab& lab, std::uint64_t seed);

}  // namespace sim::labs
