// A trace is one file, or several that lie in a folder; each is written by a function.
#pragma once

#include "libsim/report/timeline.hpp"

#include <functional>
#include <ostream>
#include <string>

namespace sim::report {

struct TraceFile {
    std::string name;  // in its folder; empty: the trace is this one file
    std::function<void(std::ostream&)> write;
};

}  // namespace sim::report
