// This function reads a recorded program as compute, messages and waits only: collectives by size become the messages
// of their schedules, which take as long.
#pragma once

#include "libsim/replay/recording.hpp"
#include "libsim/replay/sent_sizes.hpp"

#include <functional>

namespace sim::goal {

// Calls take(op) for each op of `rank`, in program order; receives get the size of their message. Waits name
// asynchronous ops by their number among the taken ones. Throws ProgramError for a collective of a group that
// represents a larger one, because the ranks that are not simulated have no messages.
void read_messages(const replay::Recording& program, replay::SentSizes& sizes, int rank,
                   const std::function<void(const Op&)>& take);

}  // namespace sim::goal
