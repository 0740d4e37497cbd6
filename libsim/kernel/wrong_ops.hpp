// The ops that an error of a rank program is about, so that who shows the error can say where in the program they are.
#pragma once

#include "libsim/error.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sim::kernel {

struct WrongOp {
    int rank = -1;
    std::uint32_t op_number = 0;  // in the rank's program, from 0
    std::string what = {};        // "receive from 1, tag 7"
    std::string why = {};         // of an op that waits: why it can never end
    int waits_for = -1;           // of an op that waits: a rank that would have to act
};

// An error of the program that names ops.
template <class Error>
struct WithOps : Error {
    WithOps(const std::string& message, std::vector<WrongOp> wrong) : Error(message), ops(std::move(wrong)) {}
    std::vector<WrongOp> ops;
};
using Deadlock = WithOps<DeadlockError>;  // every rank that waits
using Mismatch = WithOps<MismatchError>;  // the two that do not fit each other, or the one that is known

// Empty, where the error names none.
std::vector<WrongOp> ops_of(const ProgramError& error);

}  // namespace sim::kernel
