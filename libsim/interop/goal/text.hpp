// This parser reads GOAL schedules as text, in the form that LogGOPSim's txt2bin accepts:
//
//   num_ranks 2
//   rank 0 {
//     s: send 64b to 1 tag 7 cpu 0 nic 0      tag, cpu and nic default to 0
//     calc 100 cpu 1                          a label is needed only for dependencies
//   }
//   rank 1 {
//     r: recv 64b from 0 tag 7                from -1: from any rank; tag -1: any tag
//     c: calc 100
//     c requires r                            c begins when r is done
//     c irequires r                           c begins when r has begun: a receive, when it waits for its message
//   }
//
// There is one statement per line; // and /* */ are comments. The parser accepts more than txt2bin does: ranks in any
// order, dependencies before the labels they name, comments after a statement, tag, cpu and nic in any order.
// Cost: about 100 MB/s; memory beside the text is the schedule, and the labels of one rank at a time.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::goal {

// Throws std::invalid_argument: "NAME:LINE:COLUMN: the error", with the nearest match.
GoalSchedule parse(std::string_view text, std::string_view name);

// The places of operations of parse(text). Parses the text again, so it is only for error messages. Requires: `ops` in
// ascending order.
struct Place {
    std::size_t line = 0;  // from 1
    std::string label;     // empty: none
};
std::vector<Place> places_of(std::string_view text, const std::vector<OpIndex>& ops);

}  // namespace sim::goal
