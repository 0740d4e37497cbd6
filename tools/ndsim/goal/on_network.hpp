// Runs a GOAL schedule on one of ndsim's networks, which determines when its ranks finish.
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

// Returns finish times in picoseconds. `timeline` may be null. Throws UsageError, with file and line, for an operation
// that a program cannot have, and whatever programs throw.
goal::GoalOutcome run_on_network(const GoalFile& file, const GoalOnNetwork& options, report::Timeline* timeline);

}  // namespace sim::tools
