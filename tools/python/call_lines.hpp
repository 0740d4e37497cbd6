// The lines of a Python file that ranks began their operations in, so that a fault can be told in them.
#pragma once

#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/record.hpp"

#include <string>
#include <vector>

namespace sim::python {

// Call sites of so many ranks: each is the line of the innermost call in `file`. Call it before ranks are forked.
lab::CallSites call_lines(int ranks, const std::string& file);
// Of each of the fault's operations; none of one that was begun outside of the file.
std::vector<lab::Line> lines_of(const ranks::Fault& fault, const lab::CallSites& sites, const std::string& file);

}  // namespace sim::python
