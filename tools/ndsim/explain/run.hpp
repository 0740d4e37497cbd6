// `ndsim explain SCENARIO` runs the scenario's executable as real processes and explains that run: from what it prints
// with --json, and from its timeline. It is run again with a rank that is killed, and with one thing changed each.
#pragma once

#include "libsim/explain/explain_settings.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/report/timeline.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct RunQuestion {
    std::string scenario;
    std::vector<std::string> arguments;  // the scenario's own
    // What breaks the run is suffered in a second one; without any, its middle rank is killed in the middle of it.
    std::vector<faults::Injection> faults;
    explain::ExplainSettings settings;
    explain::Level level = explain::Level::field;
};

struct ExplainedScenario {
    explain::Explanation explanation;
    report::Timeline timeline;
    int exit_code = 0;  // of a run that failed, of which there is no explanation
    std::string said;   // by that run
};

// Requires: the scenario is one of known_scenarios().
ExplainedScenario explained_scenario(const RunQuestion& question);

// `ndsim explain SCENARIO`: a main, whose argv[0] is the scenario's name. Options that are not the explanation's own
// are the scenario's.
int run_explain_scenario(int argc, const char* const* argv);

}  // namespace sim::tools
