// This function chooses the stream of each meeting if the trace does not give it: the same on all ranks that meet.
//
// Each process group has its own stream, as communicators do, and so do the messages that a rank sends: they leave in
// sequence, concurrently with its receives. Groups share a stream if a rank needs more than there are.
#pragma once

#include "libsim/interop/chakra/meetings.hpp"

#include <vector>

namespace sim::chakra {

// Stream by meeting, 1 and above.
std::vector<Stream> streams_of(const Meetings& meetings, int ranks);

}  // namespace sim::chakra
