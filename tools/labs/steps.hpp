// These functions tell how the operations of a run differ from the reference: what is done too often or too seldom, the
// first that is another, and who waits longer for it.
#pragma once

#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// "Every rank sends 8 messages, not 6." Empty: the ranks do the same, in any order.
std::string told_by_counts(const Record& found, const Record& reference);
// "Step 6 of rank 0 is an all-reduce of 4 kB, where a reduce-scatter of 4 kB is right." Empty: all come in the same
// order.
std::string told_by_order(const Record& found, const Record& reference);
// "Rank 2 is idle 30 us longer than it should be, from 12 us on in its receive from 1." Empty: nobody is.
std::string told_by_idle_time(const Record& found, const Record& reference);

}  // namespace sim::labs
