// A scenario: a rank program, and what its executable needs to know about it. A new scenario is one file with a main.
#pragma once

#include "libsim/gpu.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::scenarios {

struct Options;

struct Scenario {
    std::string name;               // of the executable
    std::string summary;            // one line for --help
    std::vector<std::string> axes;  // of the mesh: dp, tp, pp, ep, cp; the first is what --ranks sizes. None: one rank
    int default_ranks = 1;          // size of the first axis
    std::vector<std::string> examples;  // command lines, each with a comment
    // Throws UsageError where options that are each possible do not fit each other.
    std::function<void(const Options&)> check;
    // What every rank does. It must report "weights", and the sum of its items' losses as "loss before" and "loss".
    std::function<void(GPU&, const Options&)> program;
};

// The main of a scenario: reads options, launches, shows. Returns the exit code.
int run(const Scenario& scenario, int argc, const char* const* argv);

}  // namespace sim::scenarios
