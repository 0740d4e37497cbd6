// The program of a desk is checked: played in the cases of its seed, and graded.
#pragma once

#include "tools/labs/desk/desk.hpp"

#include <optional>
#include <string>

namespace sim::labs {

struct Checked {
    std::string trouble;             // empty: it was played
    std::optional<Verdict> verdict;  // nothing: there was trouble
};

// With the desk's prediction compared. Runs the program; throws MachineLimit where that cannot be done here.
Checked check_desk(const Desk& desk, ranks::Host host);
// As the last attempt of the desk, which the caller keeps.
void remember(Desk& desk, const Verdict& verdict);

}  // namespace sim::labs
