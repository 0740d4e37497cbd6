// A recorded program as compute, messages and waits alone: collectives by their size become the messages of their
// schedules, which take as long.
#pragma once

#include "libsim/replay/recording.hpp"
#include "libsim/replay/sent_sizes.hpp"

#include <functional>

namespace sim::goal {

// take(op) for each op of `rank`, in the order of its program; receives have the size that they get. Waits name
// asynchronous ops by their number among those that are taken. Throws ProgramError for a collective of a group that
// stands for a larger one: the ranks that are not there have no messages.
void read_messages(const replay::Recording& program, replay::SentSizes& sizes, int rank,
                   const std::function<void(const Op&)>& take);

}  // namespace sim::goal
