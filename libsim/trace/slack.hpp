// The slack of a span is how much later it may end without making the run longer.
//
// It is found backwards from the end of the run: a span may be late by what the next ones of its rank may be, and by
// the pause before them; a message and a collective pass it on to all their ends, and who waited there has that much
// more. Cost: sorts the spans.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

// Of each span, in their order; of logs and allocations, which nothing waits for, Duration::max().
std::vector<Duration> slack_of(std::span<const Span> spans);

}  // namespace sim::trace
