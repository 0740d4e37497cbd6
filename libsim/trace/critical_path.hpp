// The critical path of a run, and the slack of its spans. The critical path is the chain of work and messages that
// determines its end, traced back from there to its beginning.
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

// The slack of a span is how much later it may end without making the run longer. It is computed backwards from the end
// of the run: a span's slack is that of the rank's next spans plus the pause before them; messages and collectives pass
// it on to all their ends, and a rank that waited there has that much more.
//
// The slack of each span, in order; Duration::max() for logs and allocations, which nothing waits for. Cost: sorts the
// spans.
std::vector<Duration> slack_of(std::span<const Span> spans);

}  // namespace sim::trace
