// A program that follows a host's clock (GPU::idle_until, GPU::issue_from) fixes the time of its ops, not only their
// order; formats that store only the order cannot hold it.
#pragma once

#include "libsim/error.hpp"
#include "libsim/op.hpp"

#include <fmt/format.h>

namespace sim::replay {

// Throws ProgramError for such an op; `what` names the format.
inline void require_no_host_clock(int rank, const Op& op, const char* what) {
    if (op.kind == OpKind::idle || op.kind == OpKind::issue) {
        throw ProgramError(fmt::format(
            "rank {} follows its host's clock (idle_until, issue_from), which {} cannot express", rank, what));
    }
}

}  // namespace sim::replay
