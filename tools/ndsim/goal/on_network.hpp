// A GOAL schedule on a network of ours: its ranks are programs, and finish when the network lets them.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/to_program.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/ndsim/network_options.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct GoalOnNetwork {
    NetworkOptions network;
    goal::GoalUnits units;
};

std::vector<config::OptionRow> option_rows(GoalOnNetwork& options);

struct GoalFile {
    std::string name;
    const std::string& text;
    const goal::GoalSchedule& schedule;
};

// In picoseconds. `timeline`: null where nobody wants it. Throws UsageError, with file and line, for an operation that
// no program can have, and what programs throw.
goal::GoalOutcome run_on_network(const GoalFile& file, const GoalOnNetwork& options, report::Timeline* timeline);

}  // namespace sim::tools
