// These functions check the program of a desk: it is run in the cases of its seed, and graded.
#pragma once

#include "tools/labs/desk/desk.hpp"

#include <optional>
#include <string>

namespace sim::labs {

struct Checked {
    std::string trouble;             // empty: the program ran
    std::optional<Verdict> verdict;  // none if there was trouble
};

// Also compares the desk's prediction. Runs the program; throws MachineLimit if it cannot be run on this machine.
Checked check_desk(const Desk& desk, ranks::Host host);
// Records the verdict as the last attempt of the desk, which the caller saves.
void remember(Desk& desk, const Verdict& verdict);

}  // namespace sim::labs
