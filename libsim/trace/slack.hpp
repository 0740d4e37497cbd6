// The slack of a span is how much later it may end without making the run longer.
//
// It is computed backwards from the end of the run: a span's slack is that of the rank's next spans plus the pause
// before them; messages and collectives pass it on to all their ends, and a rank that waited there has that much more.
// Cost: sorts the spans.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

// The slack of each span, in order; Duration::max() for logs and allocations, which nothing waits for.
std::vector<Duration> slack_of(std::span<const Span> spans);

}  // namespace sim::trace
