// These functions launch ranks as the options ask, and show what they do: log lines on the way, the trace file at the
// end.
#pragma once

#include "tools/command_line/run_options.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

// `options` as the launcher takes them; notices go to standard error.
sim::ranks::LaunchOptions launch_options(const std::string& name, const command_line::RunOptions& options,
                                         const Cluster& cluster);

struct Launched {
    sim::ranks::Result result;
    std::vector<sim::ranks::Life> lives;
    int exit_code = 0;  // the result's, or that of a trace that could not be written
};

// Complains about a fault and about a trace that cannot be written; of a run that failed there is a trace, too.
// Throws OutputError at once where the trace cannot be written as far as one can see.
Launched launch_and_show(const std::string& name, const command_line::RunOptions& options, const Cluster& cluster,
                         const sim::ranks::RecoverableProgram& program);

}  // namespace sim::scenarios
