// `ndsim explain SCENARIO` runs the scenario's executable as real processes and explains that run from its --json
// result and its timeline. It runs the scenario again with a rank killed, and once for each change worth trying.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/ndsim/command.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct RunQuestion {
    std::string scenario;
    std::vector<std::string> arguments;  // the scenario's own
    // Faults that end a run are injected into a second run. If there are none, that run's middle rank is killed
    // halfway.
    std::vector<faults::Injection> faults;
    explain::ExplainSettings settings;
    explain::Level level = explain::Level::field;
};

struct ExplainedScenario {
    explain::Explanation explanation;
    report::Timeline timeline;
    int exit_code = 0;  // nonzero if the run failed; then there is no explanation
    std::string said;   // the run's standard error
};

// Requires: the scenario is one of known_scenarios().
ExplainedScenario explained_scenario(const RunQuestion& question);

// An answer in every form of the explanation.
Answer forms_of(explain::Explanation made);

// `ndsim explain SCENARIO` as a main, whose argv[0] is the scenario's name. Options that are not the explanation's own
// are passed on to the scenario.
int run_explain_scenario(int argc, const char* const* argv);

}  // namespace sim::tools
