// This diagnosis tells how a wrong program's results differ from the right ones, for every lab: by which number of the
// case they are wrong, which summands they hold, which operations differ. It names no cause that it has not found.
#pragma once

#include "tools/labs/verdict.hpp"

#include <string>
#include <vector>

namespace sim::labs {

// Sentences, the most telling first; empty if nothing but the checks can be told. Requires: the verdict has not passed.
std::vector<std::string> findings_of(const Verdict& verdict);
// Only the wrong formula behind a reported number, if the lab knows it.
std::vector<std::string> slips_of(const Verdict& verdict);

}  // namespace sim::labs
