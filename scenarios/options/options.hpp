// What a run was asked to do: the options that all scenarios share, from the command line and from --config FILE.toml.
#pragma once

#include "ranks/launch.hpp"
#include "scenarios/scenario.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace sim::scenarios {

// Sizes of the axes over which the ranks are spread. An axis that a scenario lacks has size 1.
struct Mesh {
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int ep = 1;
    int cp = 1;

    std::int64_t ranks() const { return std::int64_t{dp} * tp * pp * ep * cp; }
};

struct Options {
    int ranks = 1;  // of the whole mesh
    Mesh mesh;
    sim::ranks::Host host = sim::ranks::Host::process;
    sim::ranks::Clock clock = sim::ranks::Clock::virtual_time;
    double time_scale = 1;
    std::string profile = "gpu-py";
    int items = 16;
    double compute_units = 20;
    double gradient_units = 500;
    double activation_units = 50;
    int layers = 4;
    int micro_batches = 4;
    int steps = 1;
    std::string schedule = "1f1b";
    std::int64_t seed = 1;
    double watchdog_seconds = 30;
    std::string trace;  // empty: none
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

// --help or --version was asked: print this, and done.
struct Answer {
    std::string text;
};

// Throws UsageError for whatever cannot be.
std::variant<Options, Answer> read_options(const Scenario& scenario, int argc, const char* const* argv);

}  // namespace sim::scenarios
