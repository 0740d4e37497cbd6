// The critical path of a run is the chain of work and messages that determines its end, traced from there back to its
// beginning.
//
// It is found in the spans: the last work of a rank before it could continue; where it waited for a message, the
// sender's work before the send; where it waited in a collective, the last member's work before it joined; where a
// sender waited for its receiver, the receiver's work before. Shortening anything else does not shorten the run. Cost:
// sorts the spans.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

// Work of a rank, or a message from it.
struct PathStep {
    const Span* span = nullptr;  // of a message, the receive
    int rank = 0;
    int to = -1;  // a message's receiver; -1: work
    Time begin;
    Time end;
};

// From the first step to the last; they refer to the spans. Those of logs and allocations are left out. Members of a
// collective are those of one label that end at one time.
std::vector<PathStep> critical_steps(std::span<const Span> spans);

}  // namespace sim::trace
