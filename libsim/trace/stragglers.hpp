// Who is to blame for a slow run: ranks that compute more slowly than others do the same, ranks that pause, and links
// that are slower than others for the same messages. Found from the spans of the run alone.
//
// What is the same: computations with one label and one amount, messages of one size; where no two ranks share a label,
// its digits do not count ("item 3" is like "item 7"). What it usually takes is the
// median of the ranks that did it (of two the faster one), by each rank's mean. Ranks that do nothing that another does
// cannot be judged. A collective that is simulated as a whole shows no links.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <vector>

namespace sim::trace {

struct Straggler {
    int rank = 0;
    double factor = 1;  // it took so many times as long as usual
    Duration lost{0};   // so much more, in all
    Time from;          // the first computation that took 5 % longer than usual; the end of the last
    Time until;
};

// A rank whose program stood still: it had nothing to wait for, and did nothing.
struct Standstill {
    int rank = 0;
    Time from;
    Duration lost{0};
};

struct LateLink {
    int source = 0;
    int target = 0;
    double factor = 1;
    Duration lost{0};  // of its messages together
};

struct Blame {
    std::vector<Straggler> ranks;         // slower than usual by 5 % or more; who lost most first
    std::vector<Standstill> standstills;  // of a hundredth of the run or more, each; the longest first
    std::vector<LateLink> links;          // by half or more; what lost most first
    int judged = 0;                       // ranks that did what another did, too
};

// Requires: spans of one rank and stream in the order of its program. Cost: O(spans log spans).
Blame blame(std::span<const Span> spans);

}  // namespace sim::trace
