// A learner's program, built where it has to be, and run in a process of its own.
#pragma once

#include "tools/labs/desk/desk.hpp"

#include <string>
#include <vector>

namespace sim::labs {

struct Played {
    std::vector<Record> records;  // of each case; none where it could not be run
    std::string trouble;          // why it could not: what the compiler or the interpreter says; empty: it could
};

// What ranks print goes to standard error. Throws MachineLimit where there is no compiler or interpreter.
Played play(const Desk& desk, const std::vector<Case>& cases, ranks::Host host);

}  // namespace sim::labs
