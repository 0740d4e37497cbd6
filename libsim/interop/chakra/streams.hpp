// Which stream carries each meeting, where the trace does not say: the same on all ranks that meet.
//
// Each process group has a stream of its own, as communicators have, and so have the messages that a rank sends: these
// leave one after another, beside what it receives. Two of them share a stream where a rank has more than there are.
#pragma once

#include "libsim/interop/chakra/meetings.hpp"

#include <vector>

namespace sim::chakra {

// By meeting, 1 and above.
std::vector<Stream> streams_of(const Meetings& meetings, int ranks);

}  // namespace sim::chakra
