// All executables share these options: how ranks live, what things cost, and what is shown.
#pragma once

#include "libsim/config/option_row.hpp"
#include "ranks/hosts.hpp"
#include "ranks/launch.hpp"
#include "ranks/recovery.hpp"
#include "tools/command_line/outputs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::command_line {

struct RunOptions {
    int ranks = 1;  // all of them
    sim::ranks::Host host = sim::ranks::Host::process;
    sim::ranks::Clock clock = sim::ranks::Clock::virtual_time;
    double time_scale = 1;
    std::string profile = "gpu-py";
    double watchdog_seconds = 30;
    Outputs outputs;
    bool watch = false;
    bool verbose = false;
    bool quiet = false;
    std::vector<faults::Injection> faults = {};  // as --fault says
    sim::ranks::RecoveryPolicy recovery = {};    // what happens after one
};

inline constexpr std::int64_t most_ranks = 100'000;

// "virtual" or "wall", as --json has them. Hosts: ranks/hosts.hpp.
const char* name_of(sim::ranks::Clock clock);

// --host; --clock, --time-scale and --watch; --profile, which takes `names` and is by default what `options` has.
config::OptionRow host_row(RunOptions& options);
void add_clock_rows(RunOptions& options, std::vector<config::OptionRow>& rows);
config::OptionRow profile_row(RunOptions& options, const std::vector<std::string>& names);
config::OptionRow watchdog_row(RunOptions& options);
// Those of the outputs, with a timeline; --verbose, --quiet
void add_output_rows(RunOptions& options, std::vector<config::OptionRow>& rows);

// Throws UsageError for --watch where it cannot be.
void check_watch(const RunOptions& options);

// Throws UsageError for more ranks than the host can have.
void check_host(sim::ranks::Host host, std::int64_t ranks);

}  // namespace sim::command_line
