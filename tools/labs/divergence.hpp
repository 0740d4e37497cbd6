// These functions find where a learner's run first differs from the reference.
#pragma once

#include "tools/labs/lab.hpp"

#include <optional>
#include <string>

namespace sim::labs {

struct Divergence {
    Time at;
    std::string text;  // "rank 2 at 3.1 us: yours sends 4 kB to 3; the reference sends 1 kB to 3"
};

// The earliest difference in simulated time, then the lowest rank: another op, amount, peer, begin or end.
std::optional<Divergence> first_divergence(const Record& theirs, const Record& reference);

// Both timelines over one time axis, the learner's above, with the first divergence marked.
std::string draw_both(const Record& theirs, const Record& reference, int width, bool ascii, bool colour);

}  // namespace sim::labs
