// Lines of C++ source for call sites of this process, as binutils' addr2line reads them from its debug information.
#pragma once

#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/record.hpp"

#include <string>
#include <vector>

namespace sim::lab {

// A FindCallSite: the return addresses of the calls under way.
void find_return_addresses(CallSite& site);

// The innermost call of each site that is in `file` (its last component decides); where there is none, or no
// addr2line, the line is unknown. Starts one process.
std::vector<Line> source_lines(const std::vector<CallSite>& sites, const std::string& file);

}  // namespace sim::lab
