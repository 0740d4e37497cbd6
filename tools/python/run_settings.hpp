// What Python says about a run, as the options of C++, and the result that such a run fills.
#pragma once

#include "tools/python/run_result.hpp"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

namespace sim::python {

struct Settings {
    int ranks = 1;
    std::vector<int> running = {};     // those that run, ascending; none: all
    std::string machine;               // empty: profile
    pybind11::object profile;          // a name, a file, or a dict of what a file holds
    std::optional<double> time_scale;  // none: as fast as possible
    double watchdog_seconds = 30;
    bool keeps_timeline = true;
    bool blocking_sends = false;
    std::string title;
    std::vector<std::string> faults;
    std::string lines_of;  // the Python file that a fault is told in lines of; empty: none
};

// Throws UsageError for what cannot be.
ranks::LaunchOptions launch_options(const Settings& settings);
// Before the run: its spans come into the result, which outlives it.
void begin(RunResult& run, const Settings& settings, ranks::LaunchOptions& options);
// After it, with `run.result`.
void complete(RunResult& run, const Settings& settings);

}  // namespace sim::python
