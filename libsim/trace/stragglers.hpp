// This analysis finds what slows a run down: ranks that compute more slowly than others doing the same work, ranks that
// pause, and links that are slower than others for the same messages. It uses only the spans of the run.
//
// Same work means computations with the same label and amount, or messages of the same size; if no two ranks share a
// label, its digits are ignored ("item 3" is like "item 7"). The usual duration is the median over the ranks that did
// it (the lower of two), by each rank's mean. Ranks whose work no other rank does cannot be judged. A collective
// simulated as a whole reveals no links.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

struct Straggler {
    int rank = 0;
    double factor = 1;  // its time divided by the usual time
    Duration lost{0};   // total excess time
    Time from;          // start of the first computation that took 5 % longer than usual, and end of the last
    Time until;
};

// A rank whose program stood still: it did nothing, although it had nothing to wait for.
struct Standstill {
    int rank = 0;
    Time from;
    Duration lost{0};
};

struct LateLink {
    int source = 0;
    int target = 0;
    double factor = 1;
    Duration lost{0};  // total over its messages
};

struct Blame {
    std::vector<Straggler> ranks;         // slower than usual by 5 % or more; largest loss first
    std::vector<Standstill> standstills;  // each a hundredth of the run or more; longest first
    std::vector<LateLink> links;          // slower by half or more; largest loss first
    int judged = 0;                       // ranks with work that another rank also did
};

// Requires: spans of one rank and stream in program order. Cost: O(spans log spans).
Blame blame(std::span<const Span> spans);

}  // namespace sim::trace
