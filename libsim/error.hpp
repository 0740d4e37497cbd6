// These exceptions report the errors of a rank program. The message is complete: rank, op, time, what was wanted, the
// near miss.
#pragma once

#include "libsim/namespaces.hpp"

#include <stdexcept>
#include <string>

namespace sim {

// The program is wrong: a bad argument, or operations that do not fit each other.
struct ProgramError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Two ranks mean different things: sizes, payloads, or collectives that disagree.
struct MismatchError : ProgramError {
    using ProgramError::ProgramError;
};

// Some ranks can never resume.
struct DeadlockError : ProgramError {
    using ProgramError::ProgramError;
};

// Faults that were asked for ended the run: ranks died, or messages were lost that others wait for.
struct BrokenRunError : ProgramError {
    BrokenRunError(const std::string& message, bool ranks_died) : ProgramError(message), died(ranks_died) {}
    bool died;
};

}  // namespace sim
