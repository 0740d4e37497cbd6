// The diagnosis of a wrong program: which known mistake leaves exactly what it left.
#pragma once

#include "tools/labs/lab.hpp"

#include <optional>
#include <string>

namespace sim::labs {

struct Diagnosis {
    std::string mistake;  // its name
    std::string text;     // to the learner
};

// Runs the lab's mistakes in the cases, as fibers, until one leaves in every case what the records hold: the same
// times, amounts and memory of every rank, the same numbers reported, or the same ranks waiting for the same. None:
// nullopt. Requires: a record for each case.
std::optional<Diagnosis> diagnose(const Lab& lab, const std::vector<Case>& cases, const std::vector<Record>& records);

// Runs a program of the course itself in a case.
Record play_here(const Case& played, const lab::Program& program, ranks::Host host = ranks::Host::fiber);

}  // namespace sim::labs
