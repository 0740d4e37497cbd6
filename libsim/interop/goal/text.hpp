// This parser reads GOAL schedules as text, in the form that LogGOPSim's txt2bin takes:
//
//   num_ranks 2
//   rank 0 {
//     s: send 64b to 1 tag 7 cpu 0 nic 0      tag, cpu and nic are 0 where they are left out
//     calc 100 cpu 1                          a label is needed only by dependencies
//   }
//   rank 1 {
//     r: recv 64b from 0 tag 7                from -1: from any rank; tag -1: any tag
//     c: calc 100
//     c requires r                            c begins when r is done
//     c irequires r                           c begins when r has begun: a receive, when it waits for its message
//   }
//
// There is one statement to a line; // and /* */ are comments. The parser accepts more than txt2bin does: ranks in any
// order, dependencies before what they name, comments behind a statement, tag, cpu and nic in any order.
// Cost: about 100 MB/s; what is held beside the text is the schedule, and for one rank at a time its labels.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::goal {

// Throws std::invalid_argument: "NAME:LINE:COLUMN: what is wrong there", with what comes nearest to it.
GoalSchedule parse(std::string_view text, std::string_view name);

// The positions of operations of parse(text). It parses again, so it is for error messages only. Requires: `ops` in
// ascending order.
struct Place {
    std::size_t line = 0;  // from 1
    std::string label;     // empty: it has none
};
std::vector<Place> places_of(std::string_view text, const std::vector<OpIndex>& ops);

}  // namespace sim::goal
