// A key is what an instructor needs of a lab and a seed: what a right program leaves, and which mistakes are named.
#pragma once

#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// Every number that the checks expect, by case, the right prediction, and the known mistakes with what is said of each.
std::string key_text(const Lab& lab, std::uint64_t seed);
// The timeline of the right program in the first case, as SVG.
std::string key_picture(const Lab& lab, std::uint64_t seed);

}  // namespace sim::labs
