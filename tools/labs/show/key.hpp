// A key is what an instructor needs of a lab and a seed: what a right program leaves, and which mistakes are named.
#pragma once

#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// Keys are for those who have the solutions: `source` is ndsim's source tree, which must hold this lab's solution as it
// was compiled into this program. Throws UsageError.
void check_source(const Lab& lab, const std::string& source);

// Every number that the checks expect, by case, the right prediction, and the known mistakes with what is said of each.
std::string key_text(const Lab& lab, std::uint64_t seed);
// The timeline of the right program in the first case, as SVG.
std::string key_picture(const Lab& lab, std::uint64_t seed);

}  // namespace sim::labs
