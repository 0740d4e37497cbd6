// A program that goes by the clock of a host (GPU::idle_until, GPU::issue_from) says when it does something, and not
// only after what; messages that streams start are matched across streams. Formats that know nothing but the order of
// ops cannot hold either.
#pragma once

#include "libsim/error.hpp"
#include "libsim/op.hpp"

#include <fmt/format.h>

namespace sim::replay {

// Throws ProgramError for such an op; `what` names the format.
inline void require_no_host_clock(int rank, const Op& op, const char* what) {
    if (op.kind == OpKind::idle || op.kind == OpKind::issue) {
        throw ProgramError(
            fmt::format("rank {} goes by its host's clock (idle_until, issue_from), which {} cannot say", rank, what));
    }
    if (op.kind == OpKind::start) {
        throw ProgramError(fmt::format("rank {} starts messages by streams, which {} cannot say", rank, what));
    }
}

}  // namespace sim::replay
