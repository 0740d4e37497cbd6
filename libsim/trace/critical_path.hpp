// The critical path of a run is the chain of work and messages that determines its end, traced back from there to its
// beginning.
//
// It is found in the spans: the last work of a rank before it could continue; if it waited for a message, the sender's
// work before the send; if it waited in a collective, the last member's work before it joined; if a sender waited for
// its receiver, the receiver's work before. Shortening anything else does not shorten the run. Cost: sorts the spans.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

// Work of a rank, or a message that it sends.
struct PathStep {
    const Span* span = nullptr;  // for a message, the receive
    int rank = 0;
    int to = -1;  // receiver of a message; -1: work
    Time begin;
    Time end;
};

// The steps from first to last; they point into `spans`. Logs and allocations are left out. Collective spans with one
// label and one end time are taken as members of one collective.
std::vector<PathStep> critical_steps(std::span<const Span> spans);

}  // namespace sim::trace
