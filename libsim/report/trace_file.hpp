// A trace is one file, or several in a folder; a function writes each.
#pragma once

#include "libsim/report/timeline.hpp"

#include <functional>
#include <ostream>
#include <string>

namespace sim::report {

struct TraceFile {
    std::string name;  // within its folder; empty: the trace is this one file
    std::function<void(std::ostream&)> write;
};

}  // namespace sim::report
