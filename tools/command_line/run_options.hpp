// What every executable can be asked: how ranks live, what things cost, and what is shown.
#pragma once

#include "libsim/config/option_row.hpp"
#include "ranks/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::scenarios {

struct RunOptions {
    int ranks = 1;  // all of them
    sim::ranks::Host host = sim::ranks::Host::process;
    sim::ranks::Clock clock = sim::ranks::Clock::virtual_time;
    double time_scale = 1;
    std::string profile = "gpu-py";
    double watchdog_seconds = 30;
    std::string trace;  // empty: none
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

inline constexpr std::int64_t most_ranks = 100'000;

// "process" or "fiber", "virtual" or "wall": as --json has them.
const char* name_of(sim::ranks::Host host);
const char* name_of(sim::ranks::Clock clock);

// --host; --clock and --time-scale; --profile, which takes `names` and is by default what `options` has.
OptionRow host_row(RunOptions& options);
void add_clock_rows(RunOptions& options, std::vector<OptionRow>& rows);
OptionRow profile_row(RunOptions& options, const std::string& names);
OptionRow json_row(RunOptions& options);
OptionRow watchdog_row(RunOptions& options);
// --trace, --json, --verbose, --quiet
void add_output_rows(RunOptions& options, std::vector<OptionRow>& rows);

// Throws UsageError for more ranks than the host can have.
void check_host(sim::ranks::Host host, std::int64_t ranks);

}  // namespace sim::scenarios
