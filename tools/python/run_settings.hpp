// The settings of a run as Python gives them, converted to C++ options, and the result that the run fills.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "tools/python/run_result.hpp"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

namespace sim::python {

struct Settings {
    int ranks = 1;
    std::vector<int> running = {};     // the ranks that run, ascending; empty: all
    std::string machine;               // empty: use `profile`
    pybind11::object profile;          // a name, a file, or a dict of what a file holds
    std::optional<double> time_scale;  // empty: as fast as possible
    double watchdog_seconds = 30;
    bool keeps_timeline = true;
    bool blocking_sends = false;
    std::string title;
    std::vector<std::string> faults;
    std::string lines_of;  // the Python file whose lines explain a fault; empty: none
};

// Throws UsageError for invalid settings.
ranks::LaunchOptions launch_options(const Settings& settings);
// Call it before the run: the run's spans go to the result, which must outlive it.
void begin(RunResult& run, const Settings& settings, ranks::LaunchOptions& options);
// Call it after the run, once `run.result` is set.
void complete(RunResult& run, const Settings& settings);

// Reads a Python dict like a TOML file: keys qualified by their tables, and values, in the dict's order; `name` stands
// for file and line in errors. Nested dicts are tables, lists of dicts are lists of tables. Throws UsageError if a key
// is not a string.
std::vector<config::TomlEntry> entries_of(const pybind11::dict& dict, const std::string& name);

}  // namespace sim::python
