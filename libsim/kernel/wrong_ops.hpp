// The ops that an error of a rank program is about, so that who shows the error can say where in the program they are.
#pragma once

#include "libsim/error.hpp"
#include "libsim/op.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sim::kernel {

struct WrongOp {
    int rank = -1;
    std::uint32_t op_number = 0;    // in the rank's program, from 0
    std::string what = {};          // "receive from 1, tag 7"
    std::string why = {};           // of an op that waits: why it can never end
    int waits_for = -1;             // of an op that waits: a rank that would have to act; -1: any would do
    Time since = {};                // of an op that waits
    bool is_root = false;           // of an op that waits: nobody else's waiting explains it
    OpKind kind = OpKind::now;      // of an op that waits: of what it waits in, be it asynchronous or on a stream
    std::vector<int> missing = {};  // of a collective that waits: the members that have not come
    std::string near_miss = {};  // of a receive that waits: what was perhaps meant, "rank 1 sent tag 6 at 2 s; did …?"
};
// A line for each, beginning with a line break: "rank 1, op 3: receive from 0   nothing was sent; rank 0 has died". Of
// many, those that come first, and how many more there are.
std::string lines_of(const std::vector<WrongOp>& ops);

// Ranks of which each waits for the next, the first one again at the end; empty: there is no such circle.
std::vector<int> cycle_of(std::span<const WrongOp> waiting);

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
