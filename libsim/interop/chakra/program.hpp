// The rank program of a plan: its nodes as operations of a GPU.
//
// Every message has a tag of its own, so that meetings (meetings.hpp) are found whatever the order of streams is.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/interop/chakra/meetings.hpp"
#include "libsim/interop/chakra/plan.hpp"

#include <vector>

namespace sim::chakra {

// A computation of t picoseconds is one of t FLOPs on the cluster that runs the program.
inline constexpr Pace picosecond_per_flop{1, 1};

struct RankWork {
    const RankTrace& trace;
    const std::vector<Duration>& times;  // by node
    const Plan& plan;
    const Meetings& meetings;
};

// Observes nothing.
void carry_out(GPU& gpu, const RankWork& work);

}  // namespace sim::chakra
