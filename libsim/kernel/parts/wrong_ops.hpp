// The ops that a rank program's error is about, so that whatever prints the error can locate them in the program.
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
    std::uint32_t op_number = 0;  // in the rank's program, from 0
    std::string what = {};        // "receive from 1, tag 7"
    // The rest describes an op that waits.
    std::string why = {};           // why it can never end
    int waits_for = -1;             // a rank that would have to act; -1: any would do
    Time since = {};                // when it began to wait
    bool is_root = false;           // no other rank's waiting explains it
    OpKind kind = OpKind::now;      // the op it really waits in, be it asynchronous or on a stream
    std::vector<int> missing = {};  // collective: the members that have not come
    std::string near_miss = {};     // receive: the probable intent, "rank 1 sent tag 6 at 2 s; did …?"
};
// One line for each op, beginning with a line break: "rank 1, op 3: receive from 0   nothing was sent; rank 0 has
// died". A long list is cut off and ends with the number left out.
inline constexpr std::size_t most_wrong_ops_listed = 16;
std::string lines_of(const std::vector<WrongOp>& ops);

// A cycle of ranks that each wait for the next, with the first one repeated at the end; empty if there is none.
std::vector<int> cycle_of(std::span<const WrongOp> waiting);

// A program error that names ops.
template <class Error>
struct WithOps : Error {
    WithOps(const std::string& message, std::vector<WrongOp> wrong) : Error(message), ops(std::move(wrong)) {}
    std::vector<WrongOp> ops;
};
using Deadlock = WithOps<DeadlockError>;  // ops: every rank that waits
using Mismatch = WithOps<MismatchError>;  // ops: the two that do not match, or the one known

// Empty if the error names none.
std::vector<WrongOp> ops_of(const ProgramError& error);

}  // namespace sim::kernel
