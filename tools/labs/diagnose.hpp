// This diagnosis finds the known mistake that leaves exactly what a wrong program left.
#pragma once

#include "tools/labs/lab.hpp"

#include <optional>
#include <string>

namespace sim::labs {

struct Diagnosis {
    std::string mistake;  // its name
    std::string text;     // for the learner
};

// Runs the lab's mistakes in the cases, as fibers, until one leaves the same as the records in every case: the same
// times, amounts and memory of every rank, and the same reported numbers, or the same ranks waiting for the same ops.
// Returns nullopt if none does. Requires: a record for each case.
std::optional<Diagnosis> diagnose(const Lab& lab, const std::vector<Case>& cases, const std::vector<Record>& records);

// The same for a lab that is a script. `mistaken`: the records of each of its mistakes in each case; empty if the
// script leaves the same as its solution.
std::optional<Diagnosis> diagnose_script(const Lab& lab, const std::vector<Case>& cases,
                                         const std::vector<Record>& records,
                                         const std::vector<std::vector<Record>>& mistaken);

// The solution's record, as far as it is available here: for a script, the record of an empty run.
Record reference_here(const Lab& lab, const Case& played);
// Runs one of the course's own programs in a case.
Record play_here(const Case& played, const lab::Program& program, ranks::Host host = ranks::Host::fiber);

}  // namespace sim::labs
