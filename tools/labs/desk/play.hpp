// These functions build a learner's program if needed, and run it in a separate process.
#pragma once

#include "tools/labs/desk/desk.hpp"

#include <string>
#include <vector>

namespace sim::labs {

struct Played {
    Plays plays = {};          // no records if it could not be run
    std::string trouble = {};  // the compiler's or interpreter's error if it could not be run; else empty
};

// The ranks' output goes to standard error. Throws MachineLimit if there is no compiler or interpreter.
Played play(const Desk& desk, const std::vector<Case>& cases, ranks::Host host);

}  // namespace sim::labs
