// These functions launch ranks as the options ask, and show what they do: log lines during the run, the trace file at
// the end.
#pragma once

#include "libsim/report/timeline.hpp"
#include "tools/command_line/run_options.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::scenarios {

// Converts `options` for the launcher; notices go to standard error.
sim::ranks::LaunchOptions launch_options(const std::string& name, const command_line::RunOptions& options,
                                         const Cluster& cluster);

struct Launched {
    sim::ranks::Result result;
    std::vector<sim::ranks::Life> lives;
    int exit_code = 0;  // of the result, or of a trace that could not be written
};

// Fills in what the run itself does not know, such as the axes of the mesh, before the first span.
using Describe = std::function<void(report::Timeline& timeline)>;

// Reports a fault, or a trace that cannot be written; a failed run leaves a trace, too. Throws OutputError at once if
// the trace clearly cannot be written.
Launched launch_and_show(const std::string& name, const command_line::RunOptions& options, const Cluster& cluster,
                         const sim::ranks::RecoverableProgram& program, const Describe& describe = {});

}  // namespace sim::scenarios
