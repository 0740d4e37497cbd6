// What can be wrong with a rank program. The message is complete: rank, op, time, what was wanted, the near miss.
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

// Some ranks can never go on.
struct DeadlockError : ProgramError {
    using ProgramError::ProgramError;
};

}  // namespace sim
