// These exceptions report the errors of a rank program. Each message is complete: rank, op, time, what was wanted, and
// the near miss.
#pragma once

#include "libsim/namespaces.hpp"

#include <stdexcept>
#include <string>

namespace sim {

// The program is wrong: a bad argument, or operations that do not match.
struct ProgramError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Two ranks disagree: on sizes, payloads, or collectives.
struct MismatchError : ProgramError {
    using ProgramError::ProgramError;
};

// Some ranks can never resume.
struct DeadlockError : ProgramError {
    using ProgramError::ProgramError;
};

// Injected faults ended the run: ranks died, or messages that others wait for were lost.
struct BrokenRunError : ProgramError {
    BrokenRunError(const std::string& message, bool ranks_died) : ProgramError(message), died(ranks_died) {}
    bool died;  // false: no rank died, but messages were lost
};

}  // namespace sim
