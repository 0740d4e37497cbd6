// No member leaves a barrier before every member has arrived.
//
// Dissemination: ceil(log2 n) rounds of empty messages. Cost and source: schedules/bruck.cpp.
#pragma once

#include "libsim/gpu.hpp"

namespace sim::collectives {

// One op. GPU::barrier() is this barrier over the world.
inline void barrier(GPU& gpu, const Group& group) {
    gpu.collective(group, {.kind = CollectiveKind::barrier});
}

}  // namespace sim::collectives
