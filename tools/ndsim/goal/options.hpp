// The networks of `ndsim goal`: LogGP with the costs of --loggp, or one of ndsim's own, which determines when ranks
// finish.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/to_program.hpp"
#include "libsim/network/loggp.hpp"
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

// The option --loggp L=1000,o=200,g=5,G=1,O=0,S=1024 sets the costs of LogGP, in units of a schedule's time.
// Sets the named costs and keeps the others. L, o, g and S are whole numbers; G and O may be decimal fractions, which
// are kept exactly. Throws UsageError, which names the wrong part.
void read_loggp(const std::string& text, LogGP& costs);

config::OptionRow loggp_row(LogGP& costs);

// "L=1000,o=200,g=5,G=1,O=0,S=1024"
std::string describe(const LogGP& costs);

}  // namespace sim::tools
