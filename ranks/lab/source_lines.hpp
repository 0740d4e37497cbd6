// These functions find the C++ source lines of call sites in this process, with binutils' addr2line and debug
// information.
#pragma once

#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/record.hpp"

#include <string>
#include <vector>

namespace sim::lab {

// A FindCallSite: the return addresses of the active calls.
void find_return_addresses(CallSite& site);

// The innermost call of each site that is in `file` (compared by its last component); if there is none, or no
// addr2line, the line is unknown. Starts one process.
std::vector<Line> source_lines(const std::vector<CallSite>& sites, const std::string& file);

}  // namespace sim::lab
