// This rank program carries out a plan: its nodes become operations of a GPU.
//
// Every message has its own tag, so that meetings (meetings.hpp) match in whatever order the streams run.
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

// Posts the steps without observing any results.
void execute(GPU& gpu, const RankWork& work);

}  // namespace sim::chakra
