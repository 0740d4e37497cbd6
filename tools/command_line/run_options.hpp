// All executables share these options: the host of the ranks, the cost profile, and the outputs.
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
    int ranks = 1;  // total number
    sim::ranks::Host host = sim::ranks::Host::process;
    sim::ranks::Clock clock = sim::ranks::Clock::virtual_time;
    double time_scale = 1;
    std::string profile = "gpu-py";
    double watchdog_seconds = 30;
    Outputs outputs;
    bool watch = false;
    bool verbose = false;
    bool quiet = false;
    std::vector<faults::Injection> faults = {};  // from --fault
    sim::ranks::RecoveryPolicy recovery = {};    // the reaction to a fault
};

inline constexpr std::int64_t most_ranks = 100'000;

// "virtual" or "wall", as in --json. Hosts: ranks/hosts.hpp.
const char* name_of(sim::ranks::Clock clock);

// Rows of --host; of --clock, --time-scale and --watch; and of --profile, which accepts `names` and defaults to
// `options`.
config::OptionRow host_row(RunOptions& options);
void add_clock_rows(RunOptions& options, std::vector<config::OptionRow>& rows);
config::OptionRow profile_row(RunOptions& options, const std::vector<std::string>& names);
config::OptionRow watchdog_row(RunOptions& options);
// Adds the rows of the outputs, with a timeline, and of --verbose and --quiet.
void add_output_rows(RunOptions& options, std::vector<config::OptionRow>& rows);

// Throws UsageError if --watch is not possible.
void check_watch(const RunOptions& options);

// Throws UsageError if the host does not support this many ranks.
void check_host(sim::ranks::Host host, std::int64_t ranks);

}  // namespace sim::command_line
