// A custom schedule is read from a text with one message per line. docs/collectives.md has an example.
//
// clang-format off
//   collective all-reduce     the kind; all but barrier
//   ranks 4
//   chunks 4                  of the whole array; if ranks own blocks, a multiple of the ranks: rank i owns block i
//   channels 1                default 1; a chunk belongs to one channel
//   root 0                    default 0
//   sends input               members send their input, even if overwritten since; with reductions, only one chunk
//   step 0: 0 -> 1 chunk 3 reduce
//   step 1 channel 0: 1 -> 2 chunks 2..3 into 0..1 received in step 4
// clang-format on
//
// Comments begin with #. Ranks are the members of the group, from 0. Chunks a..b are those from a to b, wrapping around
// if b < a; `into` says where the receiver puts them, if elsewhere. In a step of a channel a rank sends at most one
// message and receives at most one; a message is received in the step it is sent in, or in a later one.
// Cost: that of check_schedule(), and memory for ranks x channels x steps.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

#include <string_view>
#include <vector>

namespace sim::collectives {

struct StepTable {
    std::vector<Step> steps;  // by channel, member and step
};

// Throws ProgramError, "NAME:LINE: what", for text that cannot be parsed, and for a schedule that does not do what its
// kind of collective promises.
Schedule read_schedule(std::string_view text, std::string_view name);

}  // namespace sim::collectives
