// The lines of a Python file in which ranks started their operations, so that a fault can be reported by line.
#pragma once

#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/record.hpp"

#include <string>
#include <vector>

namespace sim::python {

// Call sites of `ranks` ranks: each is the line of the innermost call in `file`. Call it before ranks are forked.
lab::CallSites call_lines(int ranks, const std::string& file);
// One line for each of the fault's operations; empty for an operation that was started outside the file.
std::vector<lab::Line> lines_of(const ranks::Fault& fault, const lab::CallSites& sites, const std::string& file);

}  // namespace sim::python
